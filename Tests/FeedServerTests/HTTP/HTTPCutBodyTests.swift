#if Server
  import FeedCore
  import FeedServer
  import Testing

  @Suite(
    "A partial body that an HTTP/1.0 client would mistake for a complete one",
    .timeLimit(.minutes(10)))
  struct HTTPCutBodyTests {
    @Test("ends with an error if the server has to stop")
    func cutAtTheDeadline() async throws {
      var configuration = ServerConfiguration()
      configuration.drainDeadline = .milliseconds(100)
      configuration.requestTimeout = .seconds(600)
      try await TestServer.with(.universities(200_000), configuration) { server in
        let isWhole = try await Self.cutBody(server) { await server.stop() }
        #expect(!isWhole)
      }
    }

    @Test("ends with an error if the client reads too slowly")
    func cutAsSlow() async throws {
      var configuration = ServerConfiguration()
      configuration.requestTimeout = .seconds(1)
      try await TestServer.with(.universities(200_000), configuration) { server in
        // On a busy machine the response itself may time out, which is another refusal.
        var isWhole = true
        for _ in 0..<50 where server.metrics.refusals(.slowReader, of: .http) == 0 {
          isWhole = try await Self.cutBody(server) {}
        }
        #expect(!isWhole)
      }
    }

    /// Whether an HTTP/1.0 client that reads nothing until it is cut off mistakes the received part
    /// for the whole.
    private static func cutBody(
      _ server: TestServer, by act: @Sendable () async -> Void
    ) async throws -> Bool {
      try await HTTPConnection.with(server.address, reading: false) { connection, input in
        try await connection.send("GET /feeds/universities?format=ndjson HTTP/1.0\r\n\r\n")
        while server.metrics.sentBytes(.http) == 0 {
          try await Task.sleep(for: .milliseconds(1))
        }
        await act()
        while server.metrics.openConnections(.http) > 0 {
          try await Task.sleep(for: .milliseconds(10))
        }
        do {
          try await connection.startReading()
          _ = try await input.rest()
          return true
        } catch {
          return false
        }
      }
    }
  }
#endif
