#if Server
  import FeedCore
  import FeedServer
  import Foundation
  import LoopbackServer
  import Synchronization
  import Testing

  @Suite("The pages of a service over HTTP", .timeLimit(.minutes(2)))
  struct HTTPOriginPagesTests {
    private struct Characters: Decodable {
      struct Info: Decodable {
        var count: Int
        var pages: Int
        var next: String?
      }
      var info: Info
      var results: [SeriesCharacter]
    }

    private struct Headlines: Decodable {
      var totalResults: Int
      var articles: [Title]
      struct Title: Decodable { var title: String }
    }

    private struct Images: Decodable {
      struct Image: Decodable { var id: String }
      var items: [Image]
    }

    private static func with(
      _ name: String, _ service: LoopbackServer, freshness: Duration = .seconds(60),
      _ body: @Sendable (TestServer) async throws -> Void
    ) async throws {
      var configuration = ServerConfiguration()
      configuration.origins[try FeedName(name)] = service.url("/all")
      configuration.freshness = freshness
      configuration.minimumRefreshInterval = .zero
      try await TestServer.with(.openPrivate(), configuration, body)
    }

    private static func decode<Value: Decodable>(
      _ type: Value.Type, _ target: String, _ server: TestServer
    ) async throws -> Value {
      let answer = try await server.get(target)
      try #require(answer.status == 200, "\(target): \(answer.text)")
      return try JSONDecoder().decode(type, from: Data(answer.body))
    }

    @Test(
      "are followed from the first to the last by an app of characters",
      arguments: [true, false])
    func characters(statesCount: Bool) async throws {
      let service = try await LoopbackServer {
        PagedService.characters(45, pageSize: 20, statesCount: statesCount, $0)
      }
      try await Self.with("characters", service) { server in
        for _ in 0..<2 {
          var names: [String] = []
          var target: String? = "/api/character"
          while let page = target {
            let shown = try await Self.decode(Characters.self, page, server)
            names += shown.results.map(\.name)
            if statesCount {
              #expect(shown.info.count == 45)
              #expect(shown.info.pages == 3)
            }
            target = shown.info.next?.replacing("http://localhost", with: "")
          }
          #expect(names == (0..<45).map { "N\($0)" })
        }
        #expect(try await server.get("/api/character?page=4").status == 404)
      }
      #expect(service.requests.map(\.target) == ["/all", "/all?page=2", "/all?page=3"])
      await service.stop()
    }

    @Test("are loaded up to the requested page, but not past the service's count")
    func deep() async throws {
      let service = try await LoopbackServer { PagedService.characters(65, pageSize: 20, $0) }
      try await Self.with("characters", service) { server in
        let last = try await server.get("/api/character?page=900")
        #expect(last.status == 404)
        #expect(service.requests.count == 1)
        let third = try await Self.decode(Characters.self, "/api/character?page=3", server)
        #expect(third.results.map(\.name) == (40..<60).map { "N\($0)" })
        #expect(service.requests.count == 3)
      }
      await service.stop()
    }

    @Test("are followed by an app of images, by the id of the last image", arguments: [2, 10])
    func images(limit: Int) async throws {
      let service = try await LoopbackServer { PagedService.images(7, pageSize: 3, $0) }
      try await Self.with("feed", service) { server in
        for _ in 0..<2 {
          var ids: [String] = []
          var target = "/v1/feed?limit=\(limit)"
          while true {
            let page = try await Self.decode(Images.self, target, server)
            guard let last = page.items.last else { break }
            ids += page.items.map(\.id)
            target = "/v1/feed?limit=\(limit)&after_id=\(last.id)"
          }
          #expect(ids == (0..<7).map { PagedService.imageID($0) })
        }
        #expect(try await server.get("/v1/feed?after_id=x").status == 400)
        #expect(try await server.get("/v1/feed?after_id=\(UUID())").status == 404)
      }
      #expect(service.requests.count == 4)
      await service.stop()
    }

    @Test("are followed by an app of news, in pages of another size", arguments: [7, 20, 100])
    func headlines(size: Int) async throws {
      let service = try await LoopbackServer { PagedService.news(45, pageSize: 20, $0) }
      try await Self.with("news", service) { server in
        var titles: [String] = []
        for page in 1... {
          let target = "/v2/top-headlines?page=\(page)&pageSize=\(size)"
          let shown = try await Self.decode(Headlines.self, target, server)
          #expect(shown.totalResults == 45)
          guard !shown.articles.isEmpty else { break }
          titles += shown.articles.map(\.title)
        }
        #expect(titles == (0..<45).map { "T\($0)" })
      }
      #expect(service.requests.map(\.target) == ["/all", "/all?page=2", "/all?page=3"])
      await service.stop()
    }

    @Test("that were loaded are served without the service; others fail with the app's error")
    func offline() async throws {
      let isDown = Atomic(false)
      let service = try await LoopbackServer { request in
        isDown.load(ordering: .relaxed)
          ? ServedResponse(503, text: "") : PagedService.characters(65, pageSize: 20, request)
      }
      try await Self.with("characters", service, freshness: .zero) { server in
        #expect(try await server.get("/api/character?page=2").status == 200)
        isDown.store(true, ordering: .relaxed)
        for (page, status) in [(1, 200), (2, 200), (3, 502)] {
          let answer = try await server.get("/api/character?page=\(page)")
          #expect(answer.status == status)
        }
        isDown.store(false, ordering: .relaxed)
        #expect(try await server.get("/api/character?page=3").status == 200)
      }
      await service.stop()
    }

    @Test("are requested once, however many clients ask for them")
    func shared() async throws {
      let gate = Gate()
      let service = try await LoopbackServer { request in
        if PagedService.value("page", request) != nil { await gate.wait() }
        return PagedService.characters(45, pageSize: 20, request)
      }
      try await Self.with("characters", service) { server in
        _ = try await server.get("/api/character")
        try await withThrowingTaskGroup(of: Int.self) { tasks in
          for _ in 0..<20 {
            tasks.addTask { try await server.get("/api/character?page=2").status }
          }
          await service.waitForRequests(2)
          gate.open()
          for try await status in tasks { #expect(status == 200) }
        }
      }
      #expect(service.requests.count == 2)
      await service.stop()
    }
  }
#endif
