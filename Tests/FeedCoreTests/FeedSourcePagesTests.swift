#if Remote
  import FeedCore
  import Foundation
  import LoopbackServer
  import Testing

  @Suite("The pages of a service", .timeLimit(.minutes(5)))
  struct FeedSourcePagesTests {
    private func names(_ served: Served) throws -> [String] {
      try served.database.existingFeed(named: FeedName("characters"))
        .records(of: SeriesCharacter.self).map(\.name)
    }

    private func names(_ range: Range<Int>) -> [String] { range.map { "N\($0)" } }

    @Test(
      "become one feed, up to the requested number of pages",
      arguments: [(1, 3), (2, 6), (3, 7), (4, 7), (Int.max, 7)])
    func loaded(pages: Int, count: Int) async throws {
      try await Served.run { served in
        served.answer { PagedService.characters(7, pageSize: 3, $0) }
        let source = try served.source(.characters)
        let delivery = try await source.load(pages: pages)
        #expect(delivery.feed.recordCount == count)
        #expect(try names(served) == names(0..<count))
        #expect(served.server.requests.count == min(pages, 3))
        #expect(source.mayHaveMore(delivery.feed) == (count < 7))
      }
    }

    @Test("change nothing if one of them cannot be loaded or is not valid")
    func broken() async throws {
      for bad in [
        ServedResponse(503, text: ""), ServedResponse(text: #"{"results":[{}]}"#),
        ServedResponse(steps: [.bytes(Array(#"{"results":["#.utf8)), .drop]),
      ] {
        try await Served.run { served in
          let source = try served.source("characters", schema: .characters, policy: .essential)
          served.answer { PagedService.characters(3, pageSize: 3, $0) }
          _ = try await source.load(pages: .max)
          served.answer { request in
            PagedService.value("page", request) == "3"
              ? bad : PagedService.characters(9, pageSize: 3, request)
          }
          let delivery = try await source.load(pages: .max)
          #expect(delivery.failure is RemoteError)
          #expect(delivery.feed.recordCount == 3)
        }
      }
    }

    @Test("with links that form a circle or are invalid are invalid data")
    func circle() async throws {
      for (next, reason) in [
        ("/?page=1", "the pages lead in a circle"), ("mailto:a@example.org", "info.next"),
      ] {
        try await Served.run { served in
          served.answer { request in
            let url = next.hasPrefix("/") ? "http://\(request.fields["host"] ?? "")\(next)" : next
            let payload = App.characters.payload([1])
            return ServedResponse(
              text: payload.replacing(
                "{\"results\"", with: #"{"info":{"next":"\#(url)"},"results""#))
          }
          let source = try served.source(.characters)
          let error = await remoteError { _ = try await source.load(pages: .max) }
          #expect(error?.kind == .invalidData)
          #expect("\(error.map { "\($0)" } ?? "")".contains(reason))
        }
      }
    }

    @Test("are appended one after another, and keep the timestamp of the first")
    func appended() async throws {
      try await Served.run { served in
        served.answer { PagedService.characters(7, pageSize: 3, $0) }
        let source = try served.source("characters", schema: .characters, policy: .universities)
        var feed = try await source.load().feed
        let time = feed.timestamp
        served.wait(days: 1)
        for count in [6, 7] {
          #expect(source.mayHaveMore(feed))
          feed = try #require(try await source.loadMore())
          #expect(feed.recordCount == count)
          #expect(feed.timestamp == time)
        }
        #expect(try names(served) == names(0..<7))
        #expect(!source.mayHaveMore(feed))
        #expect(try await source.loadMore() == nil)
        #expect(served.server.requests.count == 3)
      }
    }

    @Test("of news are requested by number until the stated number of articles is loaded")
    func numbered() async throws {
      try await Served.run { served in
        served.answer { PagedService.news(45, pageSize: 20, $0) }
        let source = try served.source(.news)
        _ = try await source.load()
        #expect(try await source.loadMore()?.recordCount == 40)
        // Like another process, this source has not loaded the earlier pages.
        let other = try served.source(.news)
        #expect(try await other.loadMore()?.recordCount == 45)
        #expect(try await other.loadMore() == nil)
        #expect(served.server.requests.map(\.target) == ["/", "/?page=2", "/?page=3"])
      }
    }

    @Test("of images are requested by the last id until one has no image")
    func afterID() async throws {
      try await Served.run { served in
        served.answer { PagedService.images(5, pageSize: 3, $0) }
        let source = try served.source(.essential)
        _ = try await source.load()
        #expect(try await source.loadMore()?.recordCount == 5)
        for _ in 0..<3 { #expect(try await source.loadMore() == nil) }
        let ids = served.server.requests.map { PagedService.value("after_id", $0) }
        #expect(ids == [nil, PagedService.imageID(2), PagedService.imageID(4)])
      }
    }

    @Test("end if a service has no pages and answers with the same feed")
    func single() async throws {
      try await Served.run { served in
        served.answer(App.essential.payload(1...5))
        let source = try served.source(.essential)
        _ = try await source.load()
        for _ in 0..<3 { #expect(try await source.loadMore() == nil) }
        #expect(served.server.requests.count == 2)
      }
    }

    @Test("are requested once by concurrent callers, and again after a failure")
    func shared() async throws {
      try await Served.run { served in
        served.answer { PagedService.characters(7, pageSize: 3, $0) }
        let source = try served.source(.characters)
        _ = try await source.load()
        served.answer { _ in ServedResponse(503, text: "") }
        #expect(await remoteError { _ = try await source.loadMore() } != nil)
        let gate = Gate()
        served.answer { request in
          await gate.wait()
          return PagedService.characters(7, pageSize: 3, request)
        }
        async let first = source.loadMore()
        async let second = source.loadMore()
        await served.server.waitForRequests(3)
        gate.open()
        let counts = try await [first?.recordCount, second?.recordCount]
        #expect(counts.allSatisfy { ($0 ?? 0) >= 6 })
      }
    }
  }
#endif
