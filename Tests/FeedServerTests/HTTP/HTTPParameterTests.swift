#if Server
  import FeedCore
  import FeedServer
  import Foundation
  import LoopbackServer
  import Testing

  @Suite("The parameters of a request", .timeLimit(.minutes(2)))
  struct HTTPParameterTests {
    private static func database() throws -> FeedDatabase {
      let database = try FeedDatabase.openPrivate()
      let universities = (0..<6).map { number in
        University(
          name: "University \(number)", country: number < 4 ? "Greece" : "Brazil",
          alphaTwoCode: "XX", webPages: [], domains: ["u\(number).edu", "all.edu"])
      }
      try database.insert(universities, into: FeedName("universities"), referenceSeconds: 7e8)
      let characters = [
        ("Rick Sanchez", "Alive", "Human"), ("Birdperson", "Dead", "Bird-Person"),
        ("Morty Smith", "Alive", "Human"),
      ].map { name, status, species in
        SeriesCharacter(
          name: name, status: status, species: species, image: URL(filePath: "/a.png"))
      }
      try database.insert(characters, into: FeedName("characters"), referenceSeconds: 7e8)
      let articles = (0..<4).map { number in
        Article(
          source: Source(id: number == 3 ? nil : "s\(number)", name: "S"), title: "T\(number)",
          url: URL(filePath: "/\(number)"), publishedAt: Date(timeIntervalSince1970: 0))
      }
      try database.insert(articles, into: FeedName("news"), referenceSeconds: 7e8)
      let image = FeedImage(id: UUID(), url: URL(filePath: "/a.png"))
      try database.insert([image], into: FeedName("feed"), referenceSeconds: 7e8)
      return database
    }

    /// The values of a key in the records of a response.
    private static func values(_ key: String, _ answer: HTTPResult) throws -> [String] {
      let json = try JSONSerialization.jsonObject(with: Data(answer.body))
      let object = json as? [String: Any]
      let records = object?["results"] ?? object?["articles"] ?? json
      return (records as? [[String: Any]] ?? []).compactMap { $0[key] as? String }
    }

    @Test(
      "select universities as their service does",
      arguments: [
        ("name=sity+3", [3]), ("name_contains=SITY+4", [4]), ("country=greece", [0, 1, 2, 3]),
        ("domain=u2.edu", [2]), ("domain=ALL.edu&limit=2", [0, 1]), ("domain=edu", []),
        ("limit=2&offset=3", [3, 4]), ("offset=5", [5]), ("offset=6", []),
        ("country=Greece&limit=2&offset=1", [1, 2]), ("country=Greece&name=2&name_contains=u", [2]),
        ("limit=\(Int.max)&offset=\(Int.max)", []), ("limit=\(Int.max)&offset=4", [4, 5]),
      ])
    func universities(query: String, numbers: [Int]) async throws {
      try await TestServer.with(Self.database()) { server in
        let answer = try await server.get("/search?\(query)")
        #expect(answer.status == 200)
        #expect(try Self.values("name", answer) == numbers.map { "University \($0)" })
        #expect(answer["x-feedcore-ignored"] == nil)
      }
    }

    @Test("select characters and news as their services do")
    func others() async throws {
      try await TestServer.with(Self.database()) { server in
        for (query, names) in [
          ("species=human", ["Rick Sanchez", "Morty Smith"]), ("species=bird", ["Birdperson"]),
          ("species=human&name=mort", ["Morty Smith"]), ("status=dead", ["Birdperson"]),
        ] {
          let answer = try await server.get("/api/character?\(query)")
          #expect(try Self.values("name", answer) == names)
        }
        for (query, titles) in [
          ("sources=s1", ["T1"]), ("sources=S0,s2", ["T0", "T2"]), ("sources=none", []),
          ("sources=s0,s1&q=t1", ["T1"]),
        ] {
          let answer = try await server.get("/v2/top-headlines?\(query)")
          #expect(try Self.values("title", answer) == titles)
        }
      }
    }

    @Test(
      "that an app's path does not know are accepted and listed in a header field",
      arguments: [
        ("/search?x=1", "x"), ("/api/character?gender=male&type=&page=1", "gender, type"),
        ("/v2/top-headlines?country=us&category=a&apiKey=k&apiKey=l", "country, category, apiKey"),
        ("/v1/feed?a%0D%0AX-Evil:1=2&limit=1", "a%0D%0AX-Evil%3A1"),
      ])
    func ignored(target: String, names: String) async throws {
      try await TestServer.with(Self.database()) { server in
        let answer = try await server.get(target)
        #expect(answer.status == 200)
        #expect(answer["x-feedcore-ignored"] == names)
        #expect(answer["x-evil"] == nil)
      }
    }

    @Test(
      "with an invalid value are refused",
      arguments: [
        "/search?limit=0", "/search?limit=x", "/search?offset=-1", "/search?limit=",
        "/api/character?page=0", "/api/character?page=1.5", "/v2/top-headlines?pageSize=101",
        "/v2/top-headlines?page=-1", "/v1/feed?limit=1001", "/v1/feed?after_id=1",
        "/feeds/universities?limit=x", "/feeds/universities?limit=", "/search?limit=%2B1",
        "/feeds/universities?limit=01", "/feeds/universities?format=xml",
        "/feeds/universities/records/U?all=yes",
      ])
    func malformed(target: String) async throws {
      try await TestServer.with(Self.database()) { server in
        let answer = try await server.get(target)
        #expect(answer.status == 400)
      }
    }

    @Test(
      "that a path of FeedCore does not know are refused with a list of the known ones",
      arguments: [
        ("/feeds?limit=1", "no parameters"),
        ("/feeds/universities?Limit=1", "cursor, fields, format, limit, offset, sort, where"),
        ("/feeds/universities/records/University%201?al=1", "all"), ("/images?uri=x", "url"),
      ])
    func unknown(target: String, known: String) async throws {
      try await TestServer.with(Self.database()) { server in
        // The second request would be served from the cache.
        _ = try await server.get(String(target.prefix { $0 != "?" }))
        for _ in 0..<2 {
          let answer = try await server.get(target)
          #expect(answer.status == 400)
          #expect(answer.text.contains(known))
        }
      }
    }

    @Test(
      "are ignored by the page and by the operational paths if they are unknown",
      arguments: ["/healthz?a=1", "/readyz?a", "/metrics?a=1", "/openapi.json?a=1", "/?a=1"])
    func operating(target: String) async throws {
      try await TestServer.with(Self.database()) { server in
        let answer = try await server.get(target)
        #expect(answer.status == 200)
        #expect(answer["x-feedcore-ignored"] == nil)
      }
    }

    @Test("are sent to the service of a feed, and each response is cached separately")
    func passed() async throws {
      let service = try await LoopbackServer { request in
        let count = PagedService.value("category", request) == "sports" ? 3 : 5
        return PagedService.news(count, pageSize: 20, request)
      }
      var configuration = ServerConfiguration()
      configuration.origins[try FeedName("news")] = service.url("/all?apiKey=own")
      try await TestServer.with(.openPrivate(), configuration) { server in
        for _ in 0..<2 {
          let all = try await server.get("/v2/top-headlines")
          #expect(try Self.values("title", all).count == 5)
          let sports = try await server.get("/v2/top-headlines?category=sports&apiKey=other")
          #expect(try Self.values("title", sports).count == 3)
          #expect(sports["x-feedcore-ignored"] == "category, apiKey")
        }
      }
      #expect(
        service.requests.map(\.target) == ["/all?apiKey=own", "/all?apiKey=own&category=sports"])
      await service.stop()
    }

    @Test("of a search are sent to the service while it has more records than the feed")
    func searched() async throws {
      let service = try await LoopbackServer { request in
        switch PagedService.value("name", request) {
        case "nobody": ServedResponse(404, text: "{}")
        case .some: PagedService.characters(3, pageSize: 20, request)
        case nil: PagedService.characters(45, pageSize: 20, request)
        }
      }
      var configuration = ServerConfiguration()
      configuration.origins[try FeedName("characters")] = service.url("/all")
      try await TestServer.with(.openPrivate(), configuration) { server in
        let found = try await server.get("/api/character?name=far")
        #expect(try Self.values("name", found) == ["N0", "N1", "N2"])
        #expect(try await server.get("/api/character?name=nobody").status == 404)
        // With all pages loaded, the feed answers without its service.
        _ = try await server.get("/api/character?page=3")
        let own = try await server.get("/api/character?name=N44")
        #expect(try Self.values("name", own) == ["N44"])
      }
      let targets = service.requests.map(\.target)
      #expect(targets.filter { $0.contains("name=") } == ["/all?name=far", "/all?name=nobody"])
      await service.stop()
    }

    @Test("invented by clients leave at most 64 cached responses, and remove no other feed")
    func bounded() async throws {
      let service = try await LoopbackServer { PagedService.news(1, pageSize: 20, $0) }
      var configuration = ServerConfiguration()
      configuration.origins[try FeedName("news")] = service.url("/all")
      let database = try FeedDatabase.openPrivate()
      let own = try FeedName("news-query-mine")
      try database.insert([University](), into: own, referenceSeconds: 0)
      try await TestServer.with(database, configuration) { server in
        for number in 0..<70 {
          #expect(try await server.get("/v2/top-headlines?x=\(number)").status == 200)
        }
        // A response beyond the limit is removed after the next request.
        while try database.feedNames().count > 64 + 3 { await Task.yield() }
      }
      #expect(try database.feedDescription(named: own) != nil)
      #expect(try database.feedDescription(named: FeedName("news")) != nil)
      await service.stop()
    }
  }
#endif
