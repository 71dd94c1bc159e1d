#if Remote
  package import Foundation
  import NIOCore
  import NIOPosix
  import NIOSSL
  import Synchronization
  import TestSupport

  /// An HTTP/1.1 server, with TLS or without, on the loopback interface, on a port of its own, which
  /// answers as a test says: rightly, wrongly, slowly, or not to the end.
  package final class LoopbackServer: Sendable {
    package typealias Answer = @Sendable (ServedRequest) async -> ServedResponse

    /// Where it is, such as `http://127.0.0.1:40123`.
    package let url: URL
    /// Kept when the server has stopped, so that whoever asks for it then gets no other server.
    private let port: LoopbackPort
    private let serving: Task<Void, Never>
    private let log: RequestLog

    /// Begins to serve. A server of which nobody keeps the object stops.
    ///
    /// - Parameter isSecure: true for HTTPS, with ``LoopbackCertificate``.
    package init(isSecure: Bool = false, _ answer: @escaping Answer) async throws {
      let security = isSecure ? try LoopbackCertificate.serverContext() : nil
      let accepted = AcceptedChannels()
      let port = try LoopbackPort()
      self.port = port
      let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        .serverChannelOption(.backlog, value: 256)
        // Read from only once it is served: it may be accepted and never be.
        .childChannelOption(.autoRead, value: false)
        .bind(port.socket()) { channel in
          accepted.add(channel)
          return channel.eventLoop.makeCompletedFuture {
            if let security {
              try channel.pipeline.syncOperations.addHandler(
                NIOSSLServerHandler(context: security))
            }
            return channel
          }
        }
      guard let url = URL(string: "\(isSecure ? "https" : "http")://127.0.0.1:\(port.number)")
      else { throw ChannelError.unknownLocalAddress }
      self.url = url
      let log = RequestLog()
      self.log = log
      // Tests that wait for a command hold the threads of Swift's pool, longer than the command waits
      // for an answer.
      serving = Task(executorPreference: OrderedExecutor()) {
        try? await listener.executeThenClose { connections in
          try await withThrowingDiscardingTaskGroup { group in
            for try await connection in connections {
              // A connection that breaks is the matter of that connection alone.
              group.addTask { try? await Connection.serve(connection, answer, log) }
            }
          }
        }
        // Whoever comes from now on is refused, and not accepted and then reset.
        try? await listener.channel.closeFuture.get()
        await accepted.close()
      }
    }

    deinit { serving.cancel() }

    /// Closes the port and all connections; returns when they are closed.
    package func stop() async {
      serving.cancel()
      await serving.value
    }

    /// All requests so far, in the order in which they came.
    package var requests: [ServedRequest] { log.requests }

    /// Returns when there have been so many requests.
    package func waitForRequests(_ count: Int) async {
      await log.wait(for: count)
    }

    /// The URL of a path on this server.
    package func url(_ path: String) -> URL {
      URL(string: path, relativeTo: url)?.absoluteURL ?? url
    }
  }

  /// The connections there have been.
  private final class AcceptedChannels: Sendable {
    private let channels = Mutex<[any Channel]>([])

    func add(_ channel: any Channel) { channels.withLock { channels in channels.append(channel) } }

    func close() async {
      for channel in channels.withLock({ channels in channels }) {
        try? await channel.close().get()
      }
    }
  }

  /// What has been asked for.
  final class RequestLog: Sendable {
    private struct State {
      var requests: [ServedRequest] = []
      var gates: [(count: Int, gate: Gate)] = []
    }

    private let state = Mutex(State())

    var requests: [ServedRequest] { state.withLock { state in state.requests } }

    func add(_ request: ServedRequest) {
      state.withLock { state in
        state.requests.append(request)
        for (count, gate) in state.gates where state.requests.count >= count { gate.open() }
      }
    }

    func wait(for count: Int) async {
      let gate = Gate()
      state.withLock { state in
        if state.requests.count >= count { gate.open() } else { state.gates.append((count, gate)) }
      }
      await gate.wait()
    }
  }
#endif
