#if Server
  import FeedCore
  import FeedServer
  import Testing

  @Suite("The syntax of HTTP/1", .timeLimit(.minutes(5)))
  struct HTTPSyntaxTests {
    /// Sends text, and returns the statuses until the server closes the connection.
    private static func statuses(_ text: String, to server: TestServer) async throws -> [Int] {
      try await HTTPConnection.with(server.address) { connection, input in
        try await connection.send(text)
        var statuses: [Int] = []
        while let answer = try await input.answer() { statuses.append(answer.status) }
        return statuses
      }
    }

    private static let last = "GET /feeds HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"

    @Test("keeps an HTTP/1.0 connection alive on request if the body has a length")
    func keepAlive() async throws {
      try await TestServer.with(.universities(5_000)) { server in
        try await HTTPConnection.with(server.address) { connection, input in
          for target in ["/feeds", "/feeds/universities/records/U1", "/feeds", "/nothing"] {
            try await connection.send(
              "GET \(target) HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n")
            let answer = try #require(try await input.answer())
            #expect(answer.head.hasPrefix("HTTP/1.0 "))
            #expect(answer["connection"] == "keep-alive")
            #expect(answer["content-length"] != nil)
          }
          // HTTP/1.1 clients receive this response in chunks.
          try await connection.send("GET /search HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
          let answer = try #require(try await input.answer())
          #expect(answer["connection"] == "close")
          #expect(answer.text.hasSuffix("}]"))
        }
        let once = "GET /feeds HTTP/1.0\r\n\r\n"
        #expect(try await Self.statuses(once + once, to: server) == [200])
      }
    }

    @Test("serves later minor versions as HTTP/1.1", arguments: [2, 3, 9])
    func laterVersion(minor: Int) async throws {
      try await TestServer.with(.universities(1)) { server in
        let request = "GET /feeds HTTP/1.\(minor)\r\nHost: localhost\r\n\r\n"
        try await HTTPConnection.with(server.address) { connection, input in
          for _ in 0..<3 {
            try await connection.send(request + request)
            for _ in 0..<2 {
              let answer = try #require(try await input.answer())
              #expect(answer.head.hasPrefix("HTTP/1.1 200"))
              #expect(answer["connection"] == nil)
            }
          }
        }
        // Only the end of the request line is the version.
        let quoted = "GET /?HTTP/1.2 HTTP/1.1\r\nHost: localhost\r\nX: HTTP/1.2\r\n\r\n"
        #expect(try await Self.statuses(quoted + Self.last, to: server) == [200, 200])
      }
    }

    @Test("refuses other versions", arguments: ["HTTP/2.0", "HTTP/0.9", "HTTP/1.10", "HTTP/1"])
    func otherVersion(version: String) async throws {
      try await TestServer.with(.universities(1)) { server in
        let statuses = try await Self.statuses(
          "GET /feeds \(version)\r\nHost: localhost\r\n\r\n", to: server)
        #expect(statuses == [400] || statuses == [505], "\(statuses)")
      }
    }

    @Test("reads two requests that are split at any byte")
    func parts() async throws {
      try await TestServer.with(.universities(1)) { server in
        let text =
          "\r\nGET /feeds HTTP/1.2\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n"
          + "GET /feeds/universities/records/U0 HTTP/1.1\r\nHost: localhost\r\n\r\n"
        try await HTTPConnection.with(server.address) { connection, input in
          for count in 1..<text.utf8.count {
            try await connection.send(String(decoding: text.utf8.prefix(count), as: UTF8.self))
            // A response on another connection gives the server time to read the first part.
            if count % 8 == 0 { _ = try await server.get("/healthz") }
            try await connection.send(String(decoding: text.utf8.dropFirst(count), as: UTF8.self))
            for _ in 0..<2 { #expect(try await input.answer()?.status == 200, "\(count)") }
          }
        }
      }
    }

    @Test(
      "refuses a line without a carriage return, and a blank after the version",
      arguments: [
        "GET /feeds HTTP/1.1\nHost: localhost\r\n\r\n",
        "GET /feeds HTTP/1.1\r\nHost: localhost\n\r\n",
        "GET /feeds HTTP/1.1\r\nHost: localhost\r\n\n",
        "GET /feeds HTTP/1.1\nHost: localhost\n\n",
        "\nGET /feeds HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET /feeds HTTP/1.1\r\nHost: localhost\r\nX: a\nY: b\r\n\r\n",
        "GET /feeds HTTP/1.1 \r\nHost: localhost\r\n\r\n",
        "GET /feeds HTTP/1.1\t\r\nHost: localhost\r\n\r\n",
        "GET /feeds HTTP/1.2 \r\nHost: localhost\r\n\r\n",
      ])
    func malformed(request: String) async throws {
      try await TestServer.with(.universities(1)) { server in
        #expect(try await Self.statuses(request + Self.last, to: server) == [400])
        let valid = TestServer.request("/feeds")
        #expect(try await Self.statuses(valid + request + Self.last, to: server) == [200, 400])
        try await HTTPConnection.with(server.address) { connection, input in
          // The server may answer and close before the end of the request.
          for byte in request { try? await connection.send(String(byte)) }
          let answer = try await input.answer()
          let rest = try await input.rest()
          #expect(answer?.status == 400)
          #expect(rest == [])
        }
        #expect(server.metrics.refusals(.malformed, of: .http) == 3)
      }
    }

    @Test(
      "distinguishes unknown methods from methods that are not allowed",
      arguments: [
        ("FOO", 501), ("get", 501), ("GETS", 501), ("G", 501), ("X-Y", 501), ("POST", 405),
        ("DELETE", 405), ("PROPFIND", 405), ("G(T", 400), ("\u{1}", 400), ("", 400),
      ])
    func methods(method: String, status: Int) async throws {
      try await TestServer.with(.universities(1)) { server in
        let statuses = try await Self.statuses(
          "\(method) /feeds HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", to: server)
        #expect(statuses == [status])
      }
    }

    @Test(
      "serves a GET with a body, and never reads the body as a request",
      arguments: [
        "Content-Length: 69\r\n\r\n", "content-length:69\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n45\r\n",
      ])
    func body(start: String) async throws {
      try await TestServer.with(.universities(1)) { server in
        // The body has 69 bytes, and a line without a carriage return.
        let body = "GET /feeds/universities HTTP/1.1\nHost: localhost\r\nConnection: close\r\n"
        #expect(body.utf8.count == 69)
        for target in ["/feeds", "/feeds/universities/records/U0"] {
          for method in ["GET", "HEAD"] {
            let text = "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n\(start)\(body)"
            try await HTTPConnection.with(server.address) { connection, input in
              try await connection.send(TestServer.request(target) + text + "\r\n" + Self.last)
              #expect(try await input.answer()?.status == 200)
              let answer = try await input.answer(toHead: method == "HEAD")
              #expect(answer?.status == 200)
              #expect(answer?["connection"] == "close")
              #expect(try await input.rest() == [])
            }
          }
        }
        #expect(server.metrics.requestCount(.http) == 8)
      }
    }

    @Test(
      "refuses a body whose end is unknown, and closes the connection",
      arguments: ["xchunked", "gzip", "chunked, gzip", ""])
    func unknownCoding(coding: String) async throws {
      try await TestServer.with(.universities(1)) { server in
        let text =
          "GET /feeds HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: \(coding)\r\n\r\n"
        let statuses = try await Self.statuses(text + Self.last, to: server)
        #expect(statuses == [400])
      }
    }

    @Test("keeps the connection after a request with an empty body")
    func emptyBody() async throws {
      try await TestServer.with(.universities(1)) { server in
        for field in ["Content-Length: 0", "content-length:0", "CONTENT-LENGTH:\t0 "] {
          let request = "GET /feeds HTTP/1.1\r\nHost: localhost\r\n\(field)\r\n\r\n"
          let statuses = try await Self.statuses(request + Self.last, to: server)
          #expect(statuses == [200, 200])
        }
      }
    }
  }
#endif
