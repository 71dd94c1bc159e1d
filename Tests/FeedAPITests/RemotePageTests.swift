#if Remote
  import CourseSupport
  import FeedAPI
  import FeedFeature
  import Foundation
  import LoopbackServer
  import Testing

  @Suite("Loading pages from a service")
  struct RemotePageTests {
    @Test(
      "a page of characters has the URL of the next one, and the last page has none",
      .course(.characters, "Load Feed Use Case", "Primary course"))
    func characters() async throws {
      try await withServer { request in
        let host = request.fields["host"] ?? ""
        let next = "http://\(host)/api/character?page=2"
        let isFirst = request.target == "/api/character"
        return ServedResponse(
          text: Payloads.characters(
            info: isFirst ? #"{"count":2,"next":"\#(next)"}"# : #"{"next":null}"#))
      } _: { server, client in
        let first = CharactersEndpoint.page().url(baseURL: server.url("/api"))
        let loader: any FeedPageLoader<SeriesCharacter, URL> = RemoteCharacterPageLoader(
          firstPage: first, client: client)
        let page = try await loader.loadPage(at: nil)
        #expect(page.items == Payloads.characterModels)
        #expect(page.next == server.url("/api/character?page=2"))
        let last = try await loader.loadPage(at: page.next)
        #expect(last.items == Payloads.characterModels)
        #expect(last.next == nil)
        #expect(
          server.requests.map(\.target) == ["/api/character", "/api/character?page=2"])
      }
    }

    @Test(
      "a page of characters with a missing or invalid link, or a bad character, is refused",
      .course(.characters, "Load Feed Use Case", "Invalid data course"),
      arguments: [
        "{}", #"{"results":[]}"#, "[]", Payloads.characters(info: "7"),
        Payloads.characters(info: #"{"next":7}"#), Payloads.characters(info: #"{"next":"/2"}"#),
        Payloads.characters(info: #"{"next":""}"#),
        Payloads.characters(info: "{}").replacing(#""Alive""#, with: "null"),
      ])
    func badPage(payload: String) async throws {
      try await withServer { _ in
        ServedResponse(text: payload)
      } _: { server, client in
        #expect(await loadCharacters(server.url, client)?.kind == .invalidData)
      }
    }

    @Test(
      "a page of characters cannot be loaded if no server listens",
      .course(.characters, "Load Feed Use Case", "No connectivity course"))
    func refused() async throws {
      try await withServer { _ in
        ServedResponse()
      } _: { server, client in
        await server.stop()
        #expect(await loadCharacters(server.url, client)?.kind == .connectivity)
      }
    }

    private func loadCharacters(_ url: URL, _ client: any FeedHTTPClient) async -> RemoteError? {
      await remoteError {
        _ = try await RemoteCharacterPageLoader(firstPage: url, client: client).loadPage(at: nil)
      }
    }

    @Test("images are requested after the last one, until a page is empty")
    func images() async throws {
      try await withServer { request in
        ServedResponse(
          text: request.target.contains("after_id") ? #"{"items":[]}"# : Payloads.feed)
      } _: { server, client in
        let loader = RemoteFeedImagePageLoader(
          baseURL: server.url("/?key=1"), limit: 2, client: client)
        let page = try await loader.loadPage(at: nil)
        #expect(page.items == Payloads.feedModels)
        let last = try await loader.loadPage(at: page.next)
        #expect(last.items.isEmpty)
        #expect(last.next == nil)
        #expect(
          server.requests.map(\.target) == [
            "/v1/feed?key=1&limit=2", "/v1/feed?key=1&limit=2&after_id=\(Payloads.ids[1])",
          ])
      }
    }

    @Test("articles are requested by page number, until a page is not full")
    func articles() async throws {
      try await withServer { request in
        ServedResponse(
          text: request.target.contains("page=1&") ? Payloads.news : #"{"articles":[]}"#)
      } _: { server, client in
        let loader = RemoteArticlePageLoader(
          baseURL: server.url, country: "us", pageSize: 1, client: client)
        let page = try await loader.loadPage(at: nil)
        #expect(page.items == Payloads.newsModels)
        #expect(page.next == 2)
        let last = try await loader.loadPage(at: page.next)
        #expect(last.items.isEmpty)
        #expect(last.next == nil)
      }
    }

    /// For each of these page numbers, the number of the next page.
    private func pages(
      behind numbers: [Int], size: Int = 20, _ payload: String
    ) async throws -> [Int?] {
      var next: [Int?] = []
      try await withServer { _ in
        ServedResponse(text: payload)
      } _: { server, client in
        let loader = RemoteArticlePageLoader(
          baseURL: server.url, country: "us", pageSize: size, client: client)
        for number in numbers { next.append(try await loader.loadPage(at: number).next) }
      }
      return next
    }

    private func news(total: String) -> String {
      Payloads.news.replacing(#""totalResults":1"#, with: #""totalResults":\#(total)"#)
    }

    @Test("a page of articles that is not full is not the last if the stated total is larger")
    func partlyFilled() async throws {
      #expect(try await pages(behind: [1, 2, 3], news(total: "45")) == [2, 3, nil])
      #expect(try await pages(behind: [1, 2], news(total: "40")) == [2, nil])
      let empty = #"{"totalResults":45,"articles":[]}"#
      #expect(try await pages(behind: [1], empty) == [nil])
    }

    @Test("an invalid total of articles is ignored", arguments: ["null", "-1", #""45""#, "1e99"])
    func impossibleTotal(total: String) async throws {
      #expect(try await pages(behind: [1], news(total: total)) == [nil])
      #expect(try await pages(behind: [1], size: 1, news(total: total)) == [2])
    }

    @Test("no page number exceeds the largest integer")
    func largestNumber() async throws {
      let most = "\(Int.max)"
      #expect(try await pages(behind: [.max], size: 1, news(total: most)) == [nil])
      #expect(try await pages(behind: [.max - 1], size: .max, news(total: most)) == [nil])
    }

    @Test("a page size below one counts as one", arguments: [0, -1, Int.min])
    func atLeastOne(size: Int) async throws {
      try await withServer { request in
        ServedResponse(text: request.path.hasSuffix("feed") ? Payloads.feed : Payloads.news)
      } _: { server, client in
        _ = try await RemoteArticlePageLoader(
          baseURL: server.url, pageSize: size, client: client
        ).loadPage(at: nil)
        _ = try await RemoteFeedImagePageLoader(
          baseURL: server.url, limit: size, client: client
        ).loadPage(at: nil)
        #expect(
          server.requests.map(\.target) == [
            "/v2/top-headlines?page=1&pageSize=1", "/v1/feed?limit=1",
          ])
      }
    }
  }
#endif
