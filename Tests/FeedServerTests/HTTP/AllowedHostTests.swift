#if Server
  import FeedCore
  import FeedServer
  import TestSupport
  import Testing

  @Suite("The host of a request over the loopback interface", .timeLimit(.minutes(2)))
  struct AllowedHostTests {
    /// The response to a request with the given host.
    private static func get(
      _ target: String, host: String, from server: TestServer, method: String = "GET"
    ) async throws -> HTTPResult {
      let result = try await HTTPConnection.with(server.address) { connection, input in
        try await connection.send("\(method) \(target) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
        return try await input.answer(toHead: method == "HEAD")
      }
      return try #require(result)
    }

    private static let foreign = [
      "evil.example", "evil.example:8080", "127.0.0.1.evil.example", "localhost.evil.example",
      "127.evil", "notlocalhost", ".localhost", "192.168.1.1", "[::2]", "[2001:db8::1]:80", ":80",
    ]

    @Test("is refused if it does not name the interface, even for a cached response")
    func rebinding() async throws {
      try await TestServer.with(.universities(2)) { server in
        let record = "/feeds/universities/records/U1"
        for _ in 0..<3 { #expect(try await server.get(record).status == 200) }
        for host in Self.foreign {
          for target in [record, "/feeds", "/", "/metrics", "/nothing", "/healthz/x"] {
            let answer = try await Self.get(target, host: host, from: server)
            #expect(answer.status == 421, "\(host) \(target)")
            #expect(answer.text.contains("--allow-host \(host) "))
            #expect(answer["cache-control"] == "no-store")
            #expect(!answer.text.contains("U1"))
          }
          let head = try await Self.get("/feeds", host: host, from: server, method: "HEAD")
          #expect(head.status == 421)
        }
        #expect(server.metrics.refusals(.host, of: .http) == Self.foreign.count * 7)
      }
    }

    @Test("is accepted if it names the interface")
    func loopback() async throws {
      try await TestServer.with(.universities(1)) { server in
        for host in [
          "localhost", "localhost:8080", "LocalHost", "localhost.", "feeds.localhost:80",
          "127.0.0.1", "127.0.0.1:1", "127.9.9.9", "[::1]", "[::1]:8080",
        ] {
          let answer = try await Self.get("/feeds", host: host, from: server)
          #expect(answer.status == 200, "\(host)")
        }
      }
    }

    @Test("is checked for each request of a connection")
    func changed() async throws {
      try await TestServer.with(.universities(1)) { server in
        try await HTTPConnection.with(server.address) { connection, input in
          try await connection.send(
            TestServer.request("/feeds") + "GET /feeds HTTP/1.1\r\nHost: evil.example\r\n\r\n")
          #expect(try await input.answer()?.status == 200)
          #expect(try await input.answer()?.status == 421)
        }
      }
    }

    @Test("may be any name for health checks, and missing in an HTTP/1.0 request")
    func exempt() async throws {
      try await TestServer.with(.universities(1)) { server in
        for target in ["/healthz", "/readyz", "/readyz?verbose=1", "http://10.0.0.7/healthz"] {
          let answer = try await Self.get(target, host: "10.0.0.7:8080", from: server)
          #expect(answer.status == 200)
        }
        try await HTTPConnection.with(server.address) { connection, input in
          try await connection.send("GET /feeds HTTP/1.0\r\n\r\n")
          #expect(try await input.answer()?.status == 200)
        }
      }
    }

    @Test("may be the host of the public URL or an allowed host")
    func allowed() async throws {
      var configuration = ServerConfiguration()
      configuration.publicURL = "https://feeds.example.org"
      configuration.allowedHosts = ["Feeds.test", "other.test:8080", "[fd00::1]"]
      try await TestServer.with(.universities(1), configuration) { server in
        for host in [
          "feeds.example.org", "FEEDS.example.org.:443", "feeds.test", "feeds.test:1",
          "other.test:8080", "[FD00::1]:9",
        ] {
          let answer = try await Self.get("/feeds", host: host, from: server)
          #expect(answer.status == 200, "\(host)")
        }
        for host in ["other.test", "other.test:80", "x.feeds.test", "example.org"] {
          let answer = try await Self.get("/feeds", host: host, from: server)
          #expect(answer.status == 421, "\(host)")
        }
      }
    }

    @Test("may be any name if the server requires credentials, and over a Unix socket")
    func unlimited() async throws {
      var configuration = ServerConfiguration()
      configuration.credentials = Credentials(lines: "token")
      try await TestServer.with(.universities(1), configuration) { server in
        let answer = try await Self.get("/feeds", host: "evil.example", from: server)
        #expect(answer.status == 401)
      }
      let directory = try TemporaryDirectory()
      let address = ListenAddress.unix(path: directory.path + "/http")
      try await TestServer.with(.universities(1), at: address) { server in
        let answer = try await Self.get("/feeds", host: "any.example", from: server)
        #expect(answer.status == 200)
      }
    }

    @Test("is taken from an absolute target, also for the links of the response")
    func absolute() async throws {
      try await TestServer.with(.universities(200)) { server in
        let target = "/feeds/universities?format=jsonfeed&limit=2"
        for (authority, host, status) in [
          ("localhost:81", "localhost", 200), ("localhost:81", "evil.example", 200),
          ("evil.example", "localhost", 421), ("", "localhost", 400),
          ("user@localhost", "localhost", 400), ("a,b", "localhost", 400),
        ] {
          let answer = try await Self.get("http://\(authority)\(target)", host: host, from: server)
          #expect(answer.status == status, "\(authority) \(host)")
          guard status == 200 else { continue }
          #expect(answer.text.contains("\"feed_url\":\"http://localhost:81/feeds/"))
          #expect(answer.text.contains("\"next_url\":\"http://localhost:81/feeds/"))
        }
        #expect(try await Self.get("http://localhost", host: "a", from: server).status == 200)
      }
    }
  }
#endif
