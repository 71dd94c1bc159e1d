#if Server
  import FeedStorage
  import Hummingbird
  import Logging
  import NIOCore
  import NIOHTTP1
  import NIOPosix
  import ServiceLifecycle

  /// Serves a store over HTTP at all addresses for it.
  struct HTTPServer: Service {
    /// An event loop answers what one core can. One core is left to those who ask, who run on the
    /// same machine as a rule, and to the answers that take longer: where there are as many loops
    /// as cores, requests wait for whole time slices of others.
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
      let hot = HotAnswers(context)
      let channel = HTTPChannel(context, connections, hot, responder: makeResponder(hot))
      let listeners = try await [Listener].listening(
        at: context.configuration.http, inherited: context.configuration.httpSockets,
        channel.bootstrap(group))
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

    private func makeResponder(
      _ hot: HotAnswers
    ) -> APIResponder<RouterResponder<ServerRequestContext>> {
      let router = Router(context: ServerRequestContext.self)
      addPageRoutes(to: router, context)
      return APIResponder(context, hot, page: router.buildResponder())
    }

    /// Lets the clients have their answers; those whose take longer than they may are cut off.
    private func drain() async {
      // Cancelled, without time for anybody.
      if Task.isCancelled { connections.close() }
      let deadline = context.configuration.drainDeadline
      await withTaskGroup { tasks in
        tasks.addTask {
          guard (try? await Task.sleep(for: deadline)) != nil, !connections.isEmpty else { return }
          context.logger.warning("connections are closed that did not end in \(deadline)")
          connections.close()
        }
        await connections.ended()
        tasks.cancelAll()
      }
      await context.feeds.end()
    }
  }
#endif
