#if Server
  import FeedCore
  import FeedServer

  // The code of `OperatingServe.md`, as shown there; `print` is the caller's.

  func serve(
    _ database: FeedDatabase, _ print: @escaping @Sendable (ServerTransport, ListenAddress) -> Void
  ) async throws {
    var configuration = ServerConfiguration()
    configuration.http = [.tcp(host: "127.0.0.1", port: 0)]
    let server = try FeedServer(database, configuration) { transport, address in
      print(transport, address)
    }
    try await server.run()
  }
#endif
