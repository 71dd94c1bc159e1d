#if Server
  import FeedCore
  import FeedServer
  import Testing

  @Suite("A page of another origin", .timeLimit(.minutes(2)))
  struct CrossOriginTests {
    private static let name = "access-control-allow-origin"
    private static let origin = "https://app.example.org"

    private static func configuration(
      _ origin: String?, credentials: String? = nil
    ) -> ServerConfiguration {
      var configuration = ServerConfiguration()
      configuration.allowedOrigin = origin
      configuration.credentials = credentials.flatMap { Credentials(lines: $0) }
      return configuration
    }

    private static func preflight(
      _ target: String, from server: TestServer
    ) async throws -> HTTPResult {
      try await server.get(
        target,
        [
          "Origin": origin, "Access-Control-Request-Method": "GET",
          "Access-Control-Request-Headers": "authorization,if-none-match,x-api-key",
        ], method: "OPTIONS")
    }

    @Test("reads nothing unless that is allowed")
    func off() async throws {
      try await TestServer.with(.universities(1)) { server in
        for target in ["/feeds", "/feeds/universities/records/U0", "/"] {
          for _ in 0..<2 {
            let answer = try await server.get(target, ["Origin": Self.origin])
            #expect(answer.status == 200)
            #expect(!answer.head.lowercased().contains("access-control"))
          }
        }
        let preflight = try await Self.preflight("/feeds", from: server)
        #expect(!preflight.head.lowercased().contains("access-control"))
      }
    }

    @Test("reads every response if it is allowed", arguments: ["*", origin])
    func allowed(origin: String) async throws {
      try await TestServer.with(.universities(2), Self.configuration(origin)) { server in
        let tag = try #require(try await server.get("/feeds/universities")["etag"])
        for (target, fields, status) in [
          ("/feeds", [:], 200), ("/feeds/universities/records/U0", [:], 200),
          ("/feeds/universities/records/U0", [:], 200), ("/nothing", [:], 404),
          ("/feeds/universities", ["If-None-Match": tag], 304), ("/search", [:], 200),
          ("/", [:], 200), ("/%zz", [:], 400),
          ("/" + String(repeating: "a", count: 9_000), [:], 414),
        ] as [(String, [String: String], Int)] {
          let answer = try await server.get(target, fields)
          #expect(answer.status == status)
          let fields = answer.head.lowercased().split(separator: "\r\n")
            .filter { $0.hasPrefix(Self.name) }
          #expect(fields == ["\(Self.name): \(origin)"], "\(target)")
          #expect(answer["access-control-expose-headers"] == "*")
        }
        #expect(server.metrics.hotAnswers > 0)
      }
    }

    @Test("may send credentials after a preflight request without them", arguments: ["*", origin])
    func credentials(origin: String) async throws {
      let configuration = Self.configuration(origin, credentials: "token")
      try await TestServer.with(.universities(1), configuration) { server in
        let preflight = try await Self.preflight("/feeds", from: server)
        #expect(preflight.status == 204)
        #expect(preflight[Self.name] == origin)
        #expect(preflight["access-control-allow-headers"] == "*, Authorization")
        #expect(preflight["access-control-allow-methods"] == "GET, HEAD, OPTIONS")
        let refused = try await server.get("/feeds", ["Origin": Self.origin])
        #expect(refused.status == 401)
        #expect(refused[Self.name] == origin)
        let answer = try await server.get(
          "/feeds", ["Origin": Self.origin, "Authorization": "Bearer token"])
        #expect(answer.status == 200)
        #expect(answer[Self.name] == origin)
        // OPTIONS without a requested method is no preflight, and needs credentials.
        let options = try await server.get("/feeds", ["Origin": Self.origin], method: "OPTIONS")
        #expect(options.status == 401)
      }
    }
  }
#endif
