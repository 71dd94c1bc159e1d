#if Cluster
  import NIOCore
  import NIOPosix
  import NIOSSL
  import RESPWire
  import Synchronization
  import TestSupport

  /// A RESP server on the loopback interface. It replies as a test says: in any parts, with errors,
  /// late, or not at all.
  package final class ScriptedServer: Sendable {
    /// A step of the reply to a command.
    package enum Step: Sendable {
      /// These bytes, in one packet.
      case bytes(String)
      /// These bytes, each in a packet of its own.
      case eachByte(String)
      /// Bytes, such as a value.
      case raw([UInt8])
      /// Waits until the gate is open.
      case wait(Gate)
      /// Closes the connection.
      case close
    }

    /// Returns the steps after a command, given as words. Connections are numbered from 1.
    package typealias Script = @Sendable (_ words: [String], _ connection: Int) -> [Step]

    private struct State {
      var script: Script = { _, _ in [] }
      var isComplete = false
    }

    package let port: Int
    private let reserved: LoopbackPort
    private let serving: Task<Void, Never>
    private let listener: any Channel
    private let log: CommandLog
    private let state = Mutex(State())

    /// - Parameter isSecure: true for TLS, with ``LoopbackCertificate``
    package init(isSecure: Bool = false) async throws {
      let reserved = try LoopbackPort()
      self.reserved = reserved
      port = reserved.number
      let security = isSecure ? try LoopbackCertificate.serverContext() : nil
      let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        .bind(reserved.socket()) { channel in
          channel.eventLoop.makeCompletedFuture {
            if let security {
              try channel.pipeline.syncOperations.addHandler(
                NIOSSLServerHandler(context: security))
            }
            return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
              wrappingChannelSynchronously: channel)
          }
        }
      self.listener = listener.channel
      let log = CommandLog()
      self.log = log
      let replies = Replies()
      serving = Task(executorPreference: replies.executor) {
        try? await listener.executeThenClose { connections in
          try await withThrowingDiscardingTaskGroup { group in
            var number = 0
            for try await connection in connections {
              number += 1
              group.addTask { [number] in
                try? await Self.serve(connection, number, log, replies)
              }
            }
            group.cancelAll()
          }
        }
      }
      replies.server.withLock { $0 = WeakServer(server: self) }
    }

    /// Closes the listener, which ends all connections. A cancelled task would drop connections
    /// that wait to be accepted, which NIO treats as an error.
    deinit { listener.close(promise: nil) }

    /// Replaces the script.
    ///
    /// - Parameter isComplete: whether it also has the replies to `HELLO`, `READONLY`, `CLIENT` and
    ///   `ASKING`, which otherwise succeed. For these commands, no steps mean success.
    package func script(isComplete: Bool = false, _ script: @escaping Script) {
      state.withLock { $0 = State(script: script, isComplete: isComplete) }
    }

    /// Ends all connections and refuses others.
    package func stop() async {
      listener.close(promise: nil)
      await serving.value
    }

    /// The commands so far, without those that begin a connection.
    package var commands: [[String]] { log.commands.withLock { $0 } }

    /// The commands so far, each with its words joined by spaces.
    package var lines: [String] { commands.map { $0.joined(separator: " ") } }

    private struct WeakServer {
      weak var server: ScriptedServer?
    }

    private final class Replies: Sendable {
      let server = Mutex(WeakServer())
      let executor = OrderedExecutor()

      func steps(_ words: [String], _ connection: Int) -> [Step] {
        guard let state = server.withLock({ $0.server?.state.withLock { $0 } }) else {
          return [.close]
        }
        let begins = ["HELLO", "READONLY", "CLIENT", "ASKING"].contains(words.first)
        let steps = begins && !state.isComplete ? [] : state.script(words, connection)
        guard steps.isEmpty else { return steps }
        switch words.first {
        case "HELLO": return [.bytes("%1\r\n$6\r\nserver\r\n$5\r\nredis\r\n")]
        case "READONLY", "ASKING", "CLIENT": return [.bytes("+OK\r\n")]
        default: return []
        }
      }
    }

    private final class CommandLog: Sendable {
      let commands = Mutex<[[String]]>([])
    }

    private static func serve(
      _ channel: NIOAsyncChannel<ByteBuffer, ByteBuffer>, _ number: Int, _ log: CommandLog,
      _ replies: Replies
    ) async throws {
      var limits = RESPLimits()
      limits.bulkBytes = 1 << 20
      var decoder = RESPDecoder(limits: limits)
      var input: [UInt8] = []
      try await channel.executeThenClose { packets, output in
        for try await packet in packets {
          input += packet.readableBytesView
          while let length = try decoder.next(input.span) {
            let words = decoder.arguments.map { argument in
              String(decoding: input[argument.range], as: UTF8.self)
            }
            input.removeFirst(length)
            if !["HELLO", "READONLY", "CLIENT"].contains(words.first) {
              log.commands.withLock { $0.append(words) }
            }
            for step in replies.steps(words, number) {
              switch step {
              case .bytes(let text): try await output.write(ByteBuffer(string: text))
              case .raw(let bytes): try await output.write(ByteBuffer(bytes: bytes))
              case .eachByte(let text):
                for byte in text.utf8 { try await output.write(ByteBuffer(bytes: [byte])) }
              case .wait(let gate): await gate.wait()
              case .close: return
              }
            }
          }
        }
      }
    }
  }
#endif
