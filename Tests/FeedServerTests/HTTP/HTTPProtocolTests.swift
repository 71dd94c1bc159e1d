#if Server
  import FeedCore
  import FeedServer
  import Foundation
  import LoopbackServer
  import TestSupport
  import Testing

  @Suite("The HTTP server", .timeLimit(.minutes(10)))
  struct HTTPProtocolTests {
    @Test(
      "refuses malformed requests, and closes the connection",
      arguments: [
        ("GET /feeds HTTP/1.1\r\n\r\n", 400),
        ("GET /feeds HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
        ("GET /feeds HTTP/1.1\r\nhost: a\r\nhOST: b\r\n\r\n", 400),
        ("GET /feeds HTTP/1.1\r\nHost: \r\n\r\n", 400),
        ("GET /feeds HTTP/1.1\r\nHost: a/b\r\n\r\n", 400),
        ("GET /feeds HTTP/1.1\r\nHost: a,b\r\n\r\n", 400),
        ("OPTIONS /feeds HTTP/1.1\r\nHost: localhost\r\nCONTENT-LENGTH: 3\r\n\r\nabc", 413),
        ("POST /feeds HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc", 405),
        ("\u{1}\u{2}\u{3}\r\n\r\n", 400),
        ("GET /%zz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", 400),
      ])
    func refuses(request: String, status: Int) async throws {
      try await TestServer.with(.universities(1)) { server in
        try await HTTPConnection.with(server.address) { connection, input in
          try await connection.send(request)
          let answer = try await input.answer()
          #expect(answer?.status == status)
          #expect(answer?["content-type"] == "application/problem+json")
          #expect(answer?["connection"] == "close")
          #expect(try await input.rest() == [])
        }
        #expect(try await server.get("/healthz").status == 200)
      }
    }

    @Test("refuses a target and a head that are too long")
    func tooLong() async throws {
      try await TestServer.with(.universities(1)) { server in
        let target = "/" + String(repeating: "a", count: 9_000)
        #expect(try await server.get(target).status == 414)
        let value = String(repeating: "a", count: 40_000)
        #expect(try await server.get("/", ["X": value]).status == 431)
        try await HTTPConnection.with(server.address) { connection, input in
          try await connection.send("GET /")
          let piece = String(repeating: "a", count: 60_000)
          var answer: HTTPResult?
          for _ in 0..<10 where answer == nil { try? await connection.send(piece) }
          answer = try await input.answer()
          #expect(answer?.status == 431)
        }
        #expect(server.metrics.refusals(.tooLarge, of: .http) == 3)
      }
    }

    @Test("lists the allowed methods", arguments: ["POST", "PUT", "DELETE", "PATCH"])
    func methods(method: String) async throws {
      try await TestServer.with(.universities(1)) { server in
        let answer = try await server.get("/feeds", method: method)
        #expect(answer.status == 405)
        #expect(answer["allow"] == "GET, HEAD, OPTIONS")
        let options = try await server.get("/feeds", method: "OPTIONS")
        #expect(options.status == 204)
        #expect(options["allow"] == "GET, HEAD, OPTIONS")
        #expect(try await server.get("*", method: "OPTIONS").status == 204)
      }
    }

    @Test("closes the connection after the response to an HTTP/1.0 client")
    func oldClient() async throws {
      try await TestServer.with(.universities(20_000)) { server in
        try await HTTPConnection.with(server.address) { connection, input in
          try await connection.send("GET /search HTTP/1.0\r\n\r\n")
          let answer = try await input.answer()
          #expect(answer?.head.hasPrefix("HTTP/1.0 200") == true)
          #expect(answer?["transfer-encoding"] == nil)
          #expect(answer?.text.hasSuffix("}]") == true)
        }
      }
    }

    @Test("answers a half-closed client")
    func halfClosed() async throws {
      try await TestServer.with(.universities(1)) { server in
        try await HTTPConnection.with(server.address) { connection, input in
          try await connection.send(TestServer.request("/feeds"))
          try await connection.closeOutput()
          #expect(try await input.answer()?.status == 200)
          #expect(try await input.rest() == [])
        }
      }
    }

    @Test("answers all requests that arrived before a client half-closed")
    func pipelinedBeforeHalfClose() async throws {
      try await TestServer.with(.universities(1)) { server in
        try await HTTPConnection.with(server.address) { connection, input in
          let count = 100
          try await connection.send(
            String(repeating: TestServer.request("/healthz"), count: count))
          try await connection.closeOutput()
          for _ in 0..<count { #expect(try await input.answer()?.status == 200) }
          #expect(try await input.rest() == [])
        }
      }
    }

    @Test(
      "answers an upgrade request in HTTP, and announces the end of the connection",
      arguments: ["GET /healthz", "GET /search", "CONNECT a:80"])
    func upgrade(line: String) async throws {
      try await TestServer.with(.universities(1)) { server in
        try await HTTPConnection.with(server.address) { connection, input in
          try await connection.send(
            "\(line) HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, HTTP2-Settings\r\n"
              + "Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQ\r\n\r\n"
              + TestServer.request("/feeds"))
          let answer = try await input.answer()
          #expect(answer?.status == (line.hasPrefix("GET") ? 200 : 400))
          #expect(answer?["connection"] == "close")
          #expect(try await input.rest() == [])
        }
      }
    }

    @Test(
      "cancels the response to a client that has disconnected, at once or after a while",
      arguments: [true, false])
    func gone(isKnown: Bool) async throws {
      let end = Gate()
      let service = try await LoopbackServer { _ in
        ServedResponse(framing: .length(1), steps: [.wait(end)])
      }
      var configuration = ServerConfiguration()
      configuration.origins[try FeedName("feed")] = service.url("/feed")
      configuration.requestTimeout = .seconds(3_600)
      try await TestServer.with(.universities(1), configuration) { server in
        try await HTTPConnection.with(server.address) { connection, _ in
          try await connection.send(TestServer.request("/v1/feed"))
          await service.waitForRequests(1)
          if isKnown { try await connection.reset() }
        }
        while try await !server.get("/metrics").text.contains(#"outcome="cancelled""#) {
          try await Task.sleep(for: .milliseconds(1))
        }
      }
      end.open()
      await service.stop()
    }

    @Test("does not remove the socket of its successor")
    func successor() async throws {
      let directory = try TemporaryDirectory()
      let address = ListenAddress.unix(path: directory.path + "/http")
      let (isStopped, mayEnd) = (Gate(), Gate())
      let first = Task {
        try await TestServer.with(.universities(200_000), at: address) { server in
          try await HTTPConnection.with(address, reading: false) { connection, _ in
            try await connection.send(TestServer.request("/search"))
            while server.metrics.sentBytes(.http) == 0 {
              try await Task.sleep(for: .milliseconds(1))
            }
            await server.stop()
            isStopped.open()
            await mayEnd.wait()
          }
        }
      }
      await isStopped.wait()
      var hasServed = false
      while !hasServed {
        do {
          try await TestServer.with(.universities(1), at: address) { second in
            mayEnd.open()
            try await first.value
            #expect(try await second.get("/healthz").status == 200)
          }
          hasServed = true
        } catch let error as StoreError where error.code == .busy {
          // The first server still listens.
          try await Task.sleep(for: .milliseconds(1))
        }
      }
    }

    @Test("serves at a Unix socket, and replaces a stale one")
    func unixSocket() async throws {
      let directory = try TemporaryDirectory()
      let path = directory.path + "/http"
      for _ in 0..<2 {
        try await TestServer.with(.universities(1), at: .unix(path: path)) { server in
          let health = try await server.get("/healthz")
          #expect(health.status == 200)
          await #expect(throws: StoreError.self) {
            try await TestServer.with(.universities(1), at: .unix(path: path)) { _ in }
          }
        }
      }
    }

    @Test("admits clients with credentials")
    func credentials() async throws {
      let credentials = try #require(Credentials(lines: "# who\nana:secret\ntoken1\n"))
      var configuration = ServerConfiguration()
      configuration.credentials = credentials
      try await TestServer.with(.universities(1), configuration) { server in
        let refused = try await server.get("/feeds")
        #expect(refused.status == 401)
        #expect(refused["www-authenticate"]?.hasPrefix("Basic") == true)
        for field in ["Basic YW5hOnNlY3JldA==", "Bearer token1", "bearer token1"] {
          let answer = try await server.get("/feeds", ["Authorization": field])
          #expect(answer.status == 200)
          #expect(answer["cache-control"]?.hasPrefix("private") == true)
        }
        for field in ["Basic YW5hOnNlY3JlCg==", "Bearer token", "Bearer ana:secret", "Basic x"] {
          #expect(try await server.get("/feeds", ["Authorization": field]).status == 401)
        }
        #expect(try await server.get("/healthz").status == 200)
        #expect(server.metrics.refusals(.unauthorized, of: .http) == 5)
      }
    }

    @Test("does not accept blank lines and comments of the file as credentials")
    func noCredentials() async throws {
      let lines = "ana:secret\n   \n  # comment\n\t\n token1 \n"
      var configuration = ServerConfiguration()
      configuration.credentials = try #require(Credentials(lines: lines))
      #expect(Credentials(lines: " \n\t# none\n") == nil)
      for text in ["", "   ", "\t", "  # comment", "# comment", " token1 "] {
        #expect(configuration.credentials?.admit(token: text.utf8) == false)
      }
      try await TestServer.with(.universities(1), configuration) { server in
        let known = ["Authorization": "Bearer token1"]
        #expect(try await server.get("/feeds", known).status == 200)
        let description = try await server.get("/openapi.json", known)
        #expect(description["cache-control"] == "private, max-age=3600")
      }
    }

    @Test("refuses connections beyond the limit with an error")
    func connectionLimit() async throws {
      var configuration = ServerConfiguration()
      configuration.maximumConnections = 1
      try await TestServer.with(.universities(1), configuration) { server in
        try await HTTPConnection.with(server.address) { connection, input in
          try await connection.send(TestServer.request("/healthz"))
          #expect(try await input.answer()?.status == 200)
          #expect(try await server.get("/healthz").status == 503)
          try await connection.send(TestServer.request("/healthz"))
          #expect(try await input.answer()?.status == 200)
        }
        #expect(server.metrics.refusals(.connectionLimit, of: .http) == 1)
      }
    }

    @Test("refuses an incomplete head after the timeout")
    func slowHead() async throws {
      var configuration = ServerConfiguration()
      configuration.requestTimeout = .milliseconds(100)
      try await TestServer.with(.universities(1), configuration) { server in
        try await HTTPConnection.with(server.address) { connection, input in
          try await connection.send("GET /feeds HTTP/1.1\r\nHost: a\r\n")
          #expect(try await input.answer()?.status == 408)
          #expect(try await input.rest() == [])
        }
        #expect(server.metrics.refusals(.slowRequest, of: .http) == 1)
      }
    }

    @Test("disconnects a client that does not read")
    func slowReader() async throws {
      var configuration = ServerConfiguration()
      configuration.requestTimeout = .milliseconds(200)
      try await TestServer.with(.universities(200_000), configuration) { server in
        // On a busy machine the response itself may time out, which is another refusal.
        for _ in 0..<50 where server.metrics.refusals(.slowReader, of: .http) == 0 {
          try await HTTPConnection.with(server.address, reading: false) { connection, _ in
            try await connection.send(TestServer.request("/search"))
            repeat {
              try await Task.sleep(for: .milliseconds(10))
            } while server.metrics.openConnections(.http) > 0
          }
        }
        #expect(server.metrics.refusals(.slowReader, of: .http) == 1)
      }
    }

    @Test("completes the responses in progress when asked to stop, and accepts no others")
    func stopping() async throws {
      // A busy machine may exceed the usual timeouts.
      var configuration = ServerConfiguration()
      configuration.drainDeadline = .seconds(600)
      configuration.requestTimeout = .seconds(600)
      try await TestServer.with(.universities(50_000), configuration) { server in
        try await HTTPConnection.with(server.address) { connection, input in
          try await connection.send(TestServer.request("/search"))
          let first = try await input.piece()
          #expect(first > 0)
          await server.stop()
          let answer = try await input.answer()
          #expect(answer?.text.hasSuffix("}]") == true)
          #expect(try await input.answer() == nil)
        }
      }
    }

    @Test("reports the address that is in use")
    func takenAddress() async throws {
      try await TestServer.with(.universities(1)) { server in
        let error = await #expect(throws: (any Error).self) {
          try await TestServer.with(.universities(1), at: server.address) { _ in }
        }
        let text = "\(try #require(error))"
        #expect(text.hasPrefix("\(server.address): cannot listen here: the address is in use"))
      }
    }

    @Test("disconnects, at its deadline, clients that do not read")
    func deadline() async throws {
      var configuration = ServerConfiguration()
      configuration.drainDeadline = .milliseconds(100)
      configuration.requestTimeout = .seconds(600)
      let metrics = try await TestServer.with(.universities(200_000), configuration) { server in
        try await HTTPConnection.with(server.address, reading: false) { connection, _ in
          try await connection.send(TestServer.request("/search"))
          while server.metrics.sentBytes(.http) == 0 {
            try await Task.sleep(for: .milliseconds(1))
          }
          await server.stop()
          while server.metrics.openConnections(.http) > 0 {
            try await Task.sleep(for: .milliseconds(10))
          }
        }
        return server.metrics
      }
      #expect(metrics.refusals(.slowReader, of: .http) == 0)
    }

    @Test("releases its store when it has stopped")
    func lettingGo() async throws {
      let directory = try await TestServer.with(.universities(1)) { server in
        for target in ["/feeds", "/page/universities"] {
          let answer = try await server.get(target)
          #expect(answer.status == 200)
        }
        let directory = server.database.directory
        #expect(FileManager.default.fileExists(atPath: directory))
        return directory
      }
      #expect(!FileManager.default.fileExists(atPath: directory))
    }

    @Test("releases its store at its deadline, even if a service blocks a client")
    func lettingGoOfLoads() async throws {
      let service = try await LoopbackServer { _ in
        ServedResponse(framing: .chunked, steps: [.blanks])
      }
      var configuration = ServerConfiguration()
      configuration.origins[try FeedName("feed")] = service.url("/feed")
      configuration.drainDeadline = .milliseconds(100)
      configuration.requestTimeout = .seconds(3_600)
      let directory = try await TestServer.with(.universities(1), configuration) { server in
        try await HTTPConnection.with(server.address) { connection, input in
          try await connection.send(TestServer.request("/v1/feed"))
          await service.waitForRequests(1)
          await server.stop()
          #expect(try await input.rest() == [])
        }
        return server.database.directory
      }
      // The ingest thread has reported its end, but may still run.
      while FileManager.default.fileExists(atPath: directory) {
        try await Task.sleep(for: .milliseconds(1))
      }
    }

    @Test("exports its metrics to Prometheus")
    func metrics() async throws {
      try await TestServer.with(.universities(3)) { server in
        _ = try await server.get("/feeds/universities")
        let text = try await server.get("/metrics").text
        #expect(
          text.contains(
            "feedcore_requests_total{protocol=\"http\",route=\"/feeds/{name}\",outcome=\"200\"} 1"))
        #expect(text.contains("feedcore_feed_records{feed=\"universities\"} 3"))
        #expect(text.contains("feedcore_connections_total{protocol=\"http\"} 2"))
        #expect(text.contains("feedcore_request_duration_seconds_count{protocol=\"http\"} 1"))
      }
    }
  }
#endif
