#if Server
  public import FeedStorage
  import Logging
  public import ServiceLifecycle
  import UnixSignals

  /// Serves a store over HTTP and RESP. Part of the package trait `Server`.
  ///
  /// The program that embeds it may ingest into the same store. The next request is answered from
  /// the new generation.
  public struct FeedServer: Service {
    private let context: ServerContext
    /// Called when the server is asked to stop.
    package var onStop: @Sendable () -> Void = {}

    /// Makes a server, which does not listen yet. Raises the process's limit on open files as far
    /// as the system allows, because each connection takes one.
    ///
    /// - Parameters:
    ///   - database: the store.
    ///   - configuration: the addresses, and what applies to clients.
    ///   - announce: receives each listening address, with its actual port.
    /// - Throws: `StoreError` if feeds have services and the image store cannot be opened.
    public init(
      _ database: FeedDatabase, _ configuration: ServerConfiguration,
      announce: @escaping @Sendable (ServerTransport, ListenAddress) -> Void = { _, _ in }
    ) throws(StoreError) {
      context = try ServerContext(
        ServedStore(database), Self.fitting(configuration), announce: announce)
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
    package var metrics: ServerCounters { context.metrics }

    /// Serves until the process receives SIGTERM or SIGINT. It is then no longer ready, accepts no
    /// more connections, and ends when the responses in progress are complete.
    ///
    /// - Parameter reload: called for each SIGHUP, which does not end the process.
    public func runUntilAskedToStop(
      onHangup reload: @escaping @Sendable () async -> Void = {}
    ) async throws {
      let group = ServiceGroup(
        services: [self, HangupService(reload: reload)],
        gracefulShutdownSignals: [.sigterm, .sigint], logger: context.logger)
      try await group.run()
    }

    /// Replaces the accepted credentials. The next HTTP request must present one of the new ones. A
    /// RESP connection that was authenticated with other credentials is closed within a second.
    ///
    /// - Throws: `misuse` if the server was made without credentials. Such a server allows shared
    ///   caches to store its responses.
    public func replaceCredentials(_ credentials: Credentials) throws(StoreError) {
      guard context.configuration.credentials != nil else {
        throw StoreError(
          .misuse, "the server was started without credentials; start it again with them")
      }
      context.authenticator.credentials.replace(credentials)
    }

    /// Serves until the task is cancelled or its service group shuts down gracefully.
    ///
    /// A graceful shutdown lets the responses in progress complete, up to
    /// ``ServerConfiguration/drainDeadline``. A cancellation closes all connections at once.
    ///
    /// - Throws: if an address is in use or not permitted; `StoreError` if the served store is
    ///   replaced by another one.
    public func run() async throws {
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
        onStop()
      }
    }
  }

  /// Reloads at each SIGHUP, which otherwise ends a process.
  private struct HangupService: Service {
    let reload: @Sendable () async -> Void

    func run() async throws {
      let signals = await UnixSignalsSequence(trapping: .sighup)
      for await _ in signals.cancelOnGracefulShutdown() {
        ServiceManager.notifyReloading()
        await reload()
        ServiceManager.notify("READY=1")
      }
    }
  }
#endif
