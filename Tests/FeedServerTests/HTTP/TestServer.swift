#if Server
  import FeedCore
  import FeedServer
  import Logging
  import ServiceLifecycle

  /// A server on its own port, which stops when the body returns.
  struct TestServer: Sendable {
    let address: ListenAddress
    let database: FeedDatabase
    let metrics: ServerCounters
    let server: FeedServer
    private let group: ServiceGroup

    static func with<Result: Sendable>(
      _ database: FeedDatabase, at address: ListenAddress = .tcp(host: "127.0.0.1", port: 0),
      _ configuration: ServerConfiguration = ServerConfiguration(),
      _ body: @Sendable (TestServer) async throws -> Result
    ) async throws -> Result {
      var configuration = configuration
      configuration.http = [address]
      configuration.logger.logLevel = .critical
      let (addresses, continuation) = AsyncStream<ListenAddress>.makeStream()
      let server = try FeedServer(database, configuration) { _, address in
        continuation.yield(address)
      }
      let group = ServiceGroup(services: [server], logger: configuration.logger)
      return try await withThrowingTaskGroup(of: Void.self) { tasks in
        tasks.addTask {
          defer { continuation.finish() }
          try await group.run()
        }
        var iterator = addresses.makeAsyncIterator()
        guard let address = await iterator.next() else {
          try await tasks.next()
          throw CancellationError()
        }
        let result = try await body(
          TestServer(
            address: address, database: database, metrics: server.metrics, server: server,
            group: group))
        await group.triggerGracefulShutdown()
        try await tasks.next()
        return result
      }
    }

    /// Asks the server to end; returns at once.
    func stop() async { await group.triggerGracefulShutdown() }

    /// Sends one request on its own connection.
    func get(
      _ target: String, _ fields: [String: String] = [:], method: String = "GET"
    ) async throws -> HTTPResult {
      let result = try await HTTPConnection.with(address) { connection, input in
        try await connection.send(Self.request(target, fields, method: method))
        return try await input.answer(toHead: method == "HEAD")
      }
      guard let result else { throw HTTPConnection.Closed() }
      return result
    }

    static func request(
      _ target: String, _ fields: [String: String] = [:], method: String = "GET"
    ) -> String {
      var text = "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n"
      for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
        text += "\(name): \(value)\r\n"
      }
      return text + "\r\n"
    }
  }

  extension FeedDatabase {
    /// A store with the given number of universities in the feed `universities`.
    static func universities(
      _ count: Int, seconds: Double = 700_000_000
    ) throws -> FeedDatabase {
      let database = try FeedDatabase.openPrivate()
      try database.insertUniversities(count, seconds: seconds)
      return database
    }

    func insertUniversities(_ count: Int, prefix: String = "U", seconds: Double = 700_000_000)
      throws
    {
      let universities = (0..<count).map { number in
        University(
          name: "\(prefix)\(number)", country: number % 2 == 0 ? "Türkei" : "Brazil",
          alphaTwoCode: "XX", webPages: ["https://example.org/\(number)"])
      }
      try insert(
        universities, into: FeedName("universities"), referenceSeconds: seconds)
    }
  }
#endif
