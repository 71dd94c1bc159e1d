#if Server
  import FeedCore
  import FeedServer
  import Foundation
  import LoopbackServer
  import Synchronization
  import TestSupport
  import Testing

  @Suite("A feed from a service over HTTP", .timeLimit(.minutes(2)))
  struct HTTPOriginTests {
    static let payload =
      #"{"items":[{"id":"59916DC3-F218-4838-A5DA-7AA34188137B","image":"IMAGE"}]}"#

    /// The service: a feed with one image, and that image, which may have moved.
    static func service(
      image: String = "/a.png", isDown: @escaping @Sendable () -> Bool = { false }
    ) async throws -> LoopbackServer {
      try await LoopbackServer { request in
        if isDown() { return ServedResponse(503, text: "") }
        switch request.path {
        case "/feed":
          if request.fields["if-none-match"] == "\"1\"" {
            return ServedResponse(304, fields: [("ETag", "\"1\"")])
          }
          let image = "http://\(request.fields["host"] ?? "")\(image)"
          return ServedResponse(
            fields: [("ETag", "\"1\"")], text: payload.replacing("IMAGE", with: image))
        case "/moved.png": return ServedResponse(302, fields: [("Location", "/a.png")], text: "")
        case "/a.png": return ServedResponse(fields: [("Content-Type", "image/png")], text: "png")
        default: return ServedResponse(404, text: "")
        }
      }
    }

    static func with(
      _ service: LoopbackServer, database: FeedDatabase? = nil,
      freshness: Duration = .seconds(60), serviceDelay: Duration = .seconds(5),
      _ body: @Sendable (TestServer) async throws -> Void
    ) async throws {
      let name = try FeedName("feed")
      let database = try database ?? FeedDatabase.openPrivate()
      var configuration = ServerConfiguration()
      configuration.origins[name] = service.url("/feed")
      configuration.freshness = freshness
      configuration.minimumRefreshInterval = serviceDelay
      try await TestServer.with(database, configuration, body)
    }

    @Test("is fetched by the first request, but not by requests soon after it")
    func fetched() async throws {
      let service = try await Self.service()
      try await Self.with(service) { server in
        for _ in 0..<3 {
          let answer = try await server.get("/v1/feed")
          #expect(answer.status == 200)
          #expect(answer.text.contains("59916DC3"))
        }
      }
      #expect(service.requests.map(\.path) == ["/feed"])
    }

    @Test("is fetched again if its timestamp lies in the future, as after a corrected clock")
    func ahead() async throws {
      let service = try await Self.service()
      let database = try FeedDatabase.openPrivate()
      var options = IngestOptions()
      options.feed = try FeedName("feed")
      options.referenceSeconds = Date().timeIntervalSinceReferenceDate + 1e8
      let ingest = database.bodyIngest(from: "file", options: options)
      try await ingest.feed(Array(Self.payload.replacing("IMAGE", with: "http://a/b.png").utf8))
      _ = try await ingest.finish()
      try await Self.with(service, database: database) { server in
        for _ in 0..<2 {
          let answer = try await server.get("/v1/feed")
          #expect(answer.status == 200)
        }
      }
      #expect(service.requests.map(\.path) == ["/feed"])
    }

    @Test("is reported as busy while another process writes the store, not as a failed service")
    func busy() async throws {
      let service = try await Self.service()
      var options = FeedDatabase.Options()
      options.mapSize = 1 << 32
      options.writerTimeout = .milliseconds(200)
      let database = try FeedDatabase.open(at: "/dev/null", options: options)
      let writer = try BusyWriter(of: database)
      try await Self.with(service, database: database) { server in
        let answer = try await server.get("/v1/feed")
        #expect(answer.status == 503)
        #expect(answer["retry-after"] != nil)
        #expect(answer.text.contains("another process is writing the store"))
      }
      withExtendedLifetime(writer) {}
    }

    @Test("is served stale while the store is full, or refused with 507 if none is stored")
    func full() async throws {
      let isLarge = Flag()
      let service = try await LoopbackServer { _ in
        let items = (0..<(isLarge.isSet ? 20_000 : 1)).map { _ in
          #"{"id":"\#(UUID())","image":"https://example.org/a"}"#
        }
        return ServedResponse(text: #"{"items":[\#(items.joined(separator: ","))]}"#)
      }
      var options = FeedDatabase.Options()
      options.mapSize = 1 << 20
      let database = try FeedDatabase.open(at: "/dev/null", options: options)
      try await Self.with(service, database: database, freshness: .zero, serviceDelay: .zero) {
        server in
        #expect(try await server.get("/v1/feed").status == 200)
        isLarge.set()
        let stale = try await server.get("/feeds/feed")
        #expect(stale.status == 200)
        #expect(stale.text.contains("\"stale\":true"))
      }
      let empty = try FeedDatabase.open(at: "/dev/null", options: options)
      try await Self.with(service, database: empty) { server in
        let answer = try await server.get("/v1/feed")
        #expect(answer.status == 507)
        #expect(answer.text.contains("is full"))
      }
      await service.stop()
    }

    @Test("is revalidated when it is no longer fresh")
    func renewed() async throws {
      let service = try await Self.service()
      try await Self.with(service, freshness: .zero) { server in
        let first = try await server.get("/v1/feed")
        let second = try await server.get("/v1/feed")
        #expect(second["etag"] == first["etag"])
      }
      #expect(service.requests.map { $0.fields["if-none-match"] } == [nil, "\"1\""])
    }

    @Test("is paged through in one generation without asking its service")
    func walked() async throws {
      let service = try await LoopbackServer { _ in
        let items = (0..<3).map { _ in
          #"{"id":"\#(UUID().uuidString)","image":"https://example.org/a.png"}"#
        }
        return ServedResponse(text: #"{"items":[\#(items.joined(separator: ","))]}"#)
      }
      try await Self.with(service, freshness: .zero) { server in
        var target: String? = "/feeds/feed?limit=1"
        var pages = 0
        while let page = target {
          let answer = try await server.get(page)
          #expect(answer.status == 200)
          pages += 1
          target = answer["link"].map { String($0.dropFirst().prefix { $0 != ">" }) }
        }
        #expect(pages == 3)
      }
      #expect(service.requests.count == 1)
    }

    @Test(
      "is fetched again only after a delay, however many requests want the latest",
      arguments: [false, true])
    func refreshed(isDown: Bool) async throws {
      let service = try await Self.service { isDown }
      try await Self.with(service, serviceDelay: .seconds(3_600)) { server in
        for _ in 0..<5 {
          let answer = try await server.get("/page/feed?refresh=1")
          #expect(answer.status == (isDown ? 503 : 200))
        }
      }
      #expect(service.requests.map(\.path) == ["/feed"])
    }

    @Test("is served from the cache while the service is unreachable")
    func offline() async throws {
      let isDown = Flag()
      let service = try await Self.service { isDown.isSet }
      try await Self.with(service, freshness: .zero) { server in
        _ = try await server.get("/feeds/feed")
        isDown.set()
        let answer = try await server.get("/feeds/feed")
        #expect(answer.status == 200)
        #expect(answer.text.contains("\"stale\":true"))
      }
    }

    @Test("is not fetched again before the time that the service asks for")
    func retryAfter() async throws {
      let service = try await LoopbackServer { _ in
        ServedResponse(
          429, fields: [("Retry-After", "600")], text: #"{"message":"Come back later."}"#)
      }
      try await Self.with(service, freshness: .zero, serviceDelay: .zero) { server in
        for _ in 0..<3 {
          let answer = try await server.get("/feeds/feed")
          #expect(answer.status == 502)
          #expect(answer.text.contains("status 429: Come back later."))
        }
      }
      #expect(service.requests.count == 1)
      await service.stop()
    }

    @Test("is served from the cache while the service sends an error with status 200")
    func failedAnswer() async throws {
      let isFailing = Flag()
      let failure = #"{"error":{"code":17,"message":"maintenance"},"items":[]}"#
      let service = try await LoopbackServer { _ in
        ServedResponse(
          text: isFailing.isSet ? failure : Self.payload.replacing("IMAGE", with: "http://a/b.png"))
      }
      try await Self.with(service, freshness: .zero, serviceDelay: .zero) { server in
        _ = try await server.get("/feeds/feed")
        isFailing.set()
        let answer = try await server.get("/feeds/feed")
        #expect(answer.status == 200)
        #expect(answer.text.contains("59916DC3"))
        #expect(answer.text.contains("\"stale\":true"))
      }
      // Without a cached feed the client receives the error message of the service.
      try await Self.with(service) { server in
        let answer = try await server.get("/feeds/feed")
        #expect(answer.status == 502)
        #expect(answer.text.contains("17: maintenance"))
      }
      await service.stop()
    }

    @Test("is served from the cache at once after a request has timed out")
    func late() async throws {
      let isHanging = Flag()
      let service = try await LoopbackServer { request in
        if isHanging.isSet { return ServedResponse(framing: .chunked, steps: [.blanks]) }
        let url = "http://\(request.fields["host"] ?? "")/a.png"
        return ServedResponse(text: Self.payload.replacing("IMAGE", with: url))
      }
      var configuration = ServerConfiguration()
      configuration.origins[try FeedName("feed")] = service.url("/feed")
      configuration.freshness = .zero
      // The service may take three quarters. A machine that runs all tests may need seconds more.
      configuration.requestTimeout = .seconds(20)
      // The service is not asked again, however long the requests take.
      configuration.minimumRefreshInterval = .seconds(3600)
      try await TestServer.with(.openPrivate(), configuration) { server in
        _ = try await server.get("/feeds/feed")
        isHanging.set()
        // Otherwise each request would wait for 15 seconds.
        for _ in 0..<100 {
          let answer = try await server.get("/feeds/feed")
          #expect(answer.status == 200)
          #expect(answer.text.contains("\"stale\":true"))
        }
      }
      #expect(service.requests.count == 2)
      await service.stop()
    }

    @Test("is fetched again if its service never answers")
    func endless() async throws {
      let service = try await LoopbackServer { _ in
        ServedResponse(framing: .chunked, steps: [.blanks])
      }
      var configuration = ServerConfiguration()
      configuration.origins[try FeedName("feed")] = service.url("/feed")
      configuration.requestTimeout = .seconds(3_600)
      configuration.loadTimeout = .seconds(2)
      configuration.minimumRefreshInterval = .zero
      try await TestServer.with(.openPrivate(), configuration) { server in
        for _ in 0..<2 {
          let answer = try await server.get("/page/feed?refresh=1")
          #expect(answer.status == 503)
        }
      }
      #expect(service.requests.count == 2)
      await service.stop()
    }

    @Test("has another tag while the service is unreachable, and after a revalidation")
    func staleTag() async throws {
      let isDown = Flag()
      let service = try await Self.service { isDown.isSet }
      try await Self.with(service, freshness: .zero) { server in
        let first = try await server.get("/feeds/feed")
        let second = try await server.get("/feeds/feed")
        #expect(second.body != first.body)
        #expect(second["etag"] != first["etag"])
        isDown.set()
        let stale = try await server.get("/feeds/feed")
        #expect(stale["etag"] != second["etag"])
        let bare = try await server.get("/feeds/feed?format=ndjson")
        #expect(bare["etag"]?.hasSuffix("-ndjson\"") == true)
      }
    }

    @Test("that is not cached fails with the app's error and a gateway's status")
    func offlineAndEmpty() async throws {
      let service = try await Self.service()
      await service.stop()
      try await Self.with(service) { server in
        let answer = try await server.get("/v1/feed")
        #expect([502, 504].contains(answer.status))
        #expect(answer.text.contains("Couldn't connect to server"))
      }
    }

    @Test("that has expired in the cache is not served")
    func expired() async throws {
      let service = try await Self.service()
      await service.stop()
      let database = try FeedDatabase.openPrivate()
      let eightDaysAgo = Date().timeIntervalSinceReferenceDate - 8 * 86_400
      let image = FeedImage(
        id: UUID(), description: nil, location: nil, url: URL(filePath: "/a"))
      try database.insert([image], into: FeedName("feed"), referenceSeconds: eightDaysAgo)
      try await Self.with(service, database: database) { server in
        let answer = try await server.get("/v1/feed")
        #expect([502, 504].contains(answer.status))
      }
    }

    @Test("has the comments on an image fetched for each request, with any 2xx status")
    func comments() async throws {
      let id = "59916DC3-F218-4838-A5DA-7AA34188137B"
      let comment =
        #"{"id":"\#(id)","message":"m","created_at":"2020-05-20T11:24:59Z","#
        + #""author":{"username":"u"}}"#
      let status = Atomic(207)
      let service = try await LoopbackServer { request in
        switch request.path {
        case "/v1/feed": ServedResponse(text: Self.payload)
        case "/v1/image/\(id)/comments":
          ServedResponse(status.load(ordering: .relaxed), text: "{\"items\":[\(comment)]}")
        default: ServedResponse(404, text: "")
        }
      }
      var configuration = ServerConfiguration()
      configuration.origins[try FeedName("feed")] = service.url("/v1/feed")
      let database = try FeedDatabase.openPrivate()
      try await TestServer.with(database, configuration) { server in
        for text in [id, id.lowercased()] {
          let answer = try await server.get("/v1/image/\(text)/comments")
          #expect(answer.status == 200)
          #expect(answer.text.replacing("\n", with: "") == "{\"items\":[\(comment)]}")
          #expect(answer["cache-control"] == "no-store")
        }
        let asked = service.requests.map(\.path).filter { $0.hasSuffix("comments") }
        #expect(asked.count == 2)
        // The response is an error, not the comments of an earlier request.
        status.store(300, ordering: .relaxed)
        let failed = try await server.get("/v1/image/\(id)/comments")
        #expect(failed.status == 502)
        #expect(failed.text.contains("Invalid data"))
        await service.stop()
        let offline = try await server.get("/v1/image/\(id)/comments")
        #expect(offline.status == 502)
        #expect(offline.text.contains("Couldn't connect to server"))
        let names = try database.feedNames()
        #expect(names.isEmpty)
        // Comments that were loaded as a feed are delivered without the service.
        try database.insert(
          [ImageComment(id: UUID(), message: "kept", createdAt: Date(), username: "u")],
          into: FeedName("comments-\(id)"),
          referenceSeconds: Date().timeIntervalSinceReferenceDate)
        let kept = try await server.get("/v1/image/\(id)/comments")
        #expect(kept.status == 200)
        #expect(kept.text.contains("kept"))
      }
    }
  }

  private final class Flag: Sendable {
    private let flag = Atomic(false)
    var isSet: Bool { flag.load(ordering: .relaxed) }
    func set() { flag.store(true, ordering: .relaxed) }
  }
#endif
