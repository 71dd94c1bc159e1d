#if Server
  package import FeedStorage
  import Logging
  import ServiceLifecycle
  import UnixSignals

  /// Serves a store over HTTP and RESP until it is asked to stop.
  package struct FeedServer: Service {
    private let context: ServerContext

    /// - Parameter announce: receives each listening address, with its actual port.
    package init(
      _ store: ServedStore, _ configuration: ServerConfiguration,
      announce: @escaping @Sendable (ServerMetrics.Transport, ListenAddress) -> Void = { _, _ in }
    ) throws(StoreError) {
      context = try ServerContext(store, Self.fitting(configuration), announce: announce)
    }

    /// Limits the connections to what the process may open.
    private static func fitting(_ configuration: ServerConfiguration) -> ServerConfiguration {
      var configuration = configuration
      let protocols = [configuration.speaksHTTP, configuration.speaksRESP].count { $0 }
      guard let files = FileLimit.raise() else { return configuration }
      configuration.sharedResponses = FileLimit.sharedResponses(files: files)
      let maximum = FileLimit.connections(of: protocols, files: files)
      if maximum < configuration.maximumConnections {
        configuration.logger.warning(
          "the limit of \(files) open files allows \(maximum) connections at once")
        configuration.maximumConnections = maximum
      }
      return configuration
    }

    /// The counters.
    package var metrics: ServerMetrics { context.metrics }

    /// Serves until the process receives SIGTERM or SIGINT. It is then no longer ready, accepts no
    /// more connections, and ends when the responses in progress are complete.
    package func runUntilAskedToStop() async throws {
      let group = ServiceGroup(
        services: [self], gracefulShutdownSignals: [.sigterm, .sigint], logger: context.logger)
      try await group.run()
    }

    package func run() async throws {
      var services: [any Service] = []
      let configuration = context.configuration
      if configuration.speaksHTTP {
        services.append(HTTPServer(context))
      }
      if configuration.speaksRESP {
        services.append(RESPServer(context))
      }
      try await withGracefulShutdownHandler { [context] in
        // A service group would let one protocol continue until the other has ended.
        try await withThrowingTaskGroup { tasks in
          for service in services { tasks.addTask { try await service.run() } }
          tasks.addTask {
            try await cancelWhenGracefulShutdown { try await context.store.watch() }
          }
          // The first failure ends the others: a server with only one protocol would never be
          // restarted.
          for try await _ in tasks {}
        }
      } onGracefulShutdown: {
        context.stop()
      }
    }
  }
#endif
