#if Server
  import ServiceLifecycle

  /// Serves a store over RESP at one address.
  struct RESPServer: Service {
    private let context: ServerContext
    private let address: ListenAddress

    init(context: ServerContext, address: ListenAddress) {
      self.context = context
      self.address = address
    }

    func run() async throws {
      try await gracefulShutdown()
    }
  }
#endif
