#if Server
  import Hummingbird
  import ServiceLifecycle

  /// Serves a store over HTTP at all addresses for it.
  struct HTTPServer: Service {
    private let context: ServerContext

    init(_ context: ServerContext) { self.context = context }

    func run() async throws {
      let router = Router()
      addPageRoutes(to: router, context)
      try await gracefulShutdown()
    }
  }
#endif
