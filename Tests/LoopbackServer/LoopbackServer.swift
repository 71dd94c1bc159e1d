#if Remote
  package import Foundation
  import NIOCore
  import NIOPosix
  import NIOSSL
  import Synchronization
  import TestSupport

  /// An HTTP/1.1 server on its own port of the loopback interface, with or without TLS. It answers
  /// as a test says: correctly, incorrectly, slowly, or incompletely.
  package final class LoopbackServer: Sendable {
    package typealias Answer = @Sendable (ServedRequest) async -> ServedResponse

    /// Chooses the answer to a request, before the request is added to ``requests``.
    package typealias Choice = @Sendable (ServedRequest) -> Answer

    /// The URL of the server, such as `http://127.0.0.1:40123`.
    package let url: URL
    /// Reserved after the server stops, so that a late client does not reach another server.
    private let port: LoopbackPort
    private let serving: Task<Void, Never>
    private let log: RequestLog

    /// Starts the server. The server stops when it is deinitialized.
    ///
    /// - Parameter isSecure: true for HTTPS, with ``LoopbackCertificate``.
    package convenience init(isSecure: Bool = false, _ answer: @escaping Answer) async throws {
      try await self.init(isSecure: isSecure, choosing: { _ in answer })
    }

    /// Starts a server whose answer may change. A request keeps the answer that is chosen when it
    /// arrives: a choice after ``waitForRequests(_:)`` does not affect it.
    ///
    /// - Parameter isSecure: true for HTTPS, with ``LoopbackCertificate``.
    package init(isSecure: Bool = false, choosing choice: @escaping Choice) async throws {
      let security = isSecure ? try LoopbackCertificate.serverContext() : nil
      let accepted = AcceptedChannels()
      let port = try LoopbackPort()
      self.port = port
      let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        .serverChannelOption(.backlog, value: 256)
        // A connection is read only once it is served: it may be accepted but never served.
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
      // Tests that wait for a command block the threads of Swift's pool for longer than the command
      // waits for an answer.
      serving = Task(executorPreference: OrderedExecutor()) {
        try? await listener.executeThenClose { connections in
          try await withThrowingDiscardingTaskGroup { group in
            for try await connection in connections {
              // A broken connection does not affect the others.
              group.addTask { try? await Connection.serve(connection, choice, log) }
            }
          }
        }
        // The listener closes first, so that new clients are refused, not accepted and then reset.
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

    /// All requests so far, in order of arrival.
    package var requests: [ServedRequest] { log.requests }

    /// Returns after the given number of requests.
    package func waitForRequests(_ count: Int) async {
      await log.wait(for: count)
    }

    /// The URL of a path on this server.
    package func url(_ path: String) -> URL {
      URL(string: path, relativeTo: url)?.absoluteURL ?? url
    }
  }

  /// All accepted connections.
  private final class AcceptedChannels: Sendable {
    private let channels = Mutex<[any Channel]>([])

    func add(_ channel: any Channel) { channels.withLock { channels in channels.append(channel) } }

    func close() async {
      for channel in channels.withLock({ channels in channels }) {
        try? await channel.close().get()
      }
    }
  }

  /// The requests so far.
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
