#if Server
  import FeedStorage
  import Hummingbird
  import Logging
  import NIOCore
  import NIOHTTP1
  import NIOPosix
  import ServiceLifecycle

  /// Serves a store over HTTP at all configured addresses.
  struct HTTPServer: Service {
    /// One event loop uses one core. One core is left to the clients, which usually run on the same
    /// machine, and to slow responses. With as many loops as cores, requests wait for whole time
    /// slices of other threads.
    private static let loops = max(System.coreCount - 1, 1)

    private let context: ServerContext
    private let connections: ConnectionList

    init(_ context: ServerContext) {
      self.context = context
      connections = ConnectionList(context)
    }

    func run() async throws {
      try await MultiThreadedEventLoopGroup.withEventLoopGroup(numberOfThreads: Self.loops) {
        group in
        try await run(on: group)
      }
    }

    private func run(on group: MultiThreadedEventLoopGroup) async throws {
      let cache = ResponseCache(context)
      let channel = HTTPChannel(
        context, connections, cache, responder: makeRouter(context, cache).buildResponder())
      let listeners = try await [Listener].listening(
        at: context.configuration.http, inherited: context.configuration.httpSockets,
        permissions: context.configuration.socketPermissions, channel.bootstrap(group))
      defer { listeners.close() }
      for listener in listeners { context.isListening(.http, at: listener.address) }
      try await withGracefulShutdownHandler {
        try await withThrowingDiscardingTaskGroup { tasks in
          for listener in listeners { tasks.addTask { try await listener.listen() } }
        }
        await drain()
      } onGracefulShutdown: {
        context.stop()
        listeners.close()
        connections.quiesce()
      }
    }

    /// Lets clients receive their responses, and cuts off those that exceed the deadline.
    private func drain() async {
      // If the task is cancelled, there is no time for further responses.
      if Task.isCancelled { connections.close() }
      let deadline = context.configuration.drainDeadline
      await withTaskGroup { tasks in
        tasks.addTask {
          guard (try? await Task.sleep(for: deadline)) != nil, !connections.isEmpty else { return }
          context.logger.warning("closing the connections that did not end within \(deadline)")
          connections.close()
        }
        await connections.ended()
        tasks.cancelAll()
      }
      await context.feeds.end()
    }
  }
#endif
