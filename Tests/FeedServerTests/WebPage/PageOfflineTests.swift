#if Server
  import FeedCore
  import Foundation
  import HTTPTypes
  import LoopbackServer
  import Synchronization
  import Testing

  @testable import FeedServer

  /// The service of a feed, which a test can make unreachable.
  private final class Service: Sendable {
    private let answers = Mutex<[String: String]>([:])

    /// The responses by path; other paths fail.
    func answer(_ path: String, _ text: String?) {
      answers.withLock { $0[path] = text }
    }

    func run(_ body: (URL) async throws -> Void) async throws {
      let server = try await LoopbackServer { [self] request in
        guard let text = answers.withLock({ $0[request.path] }) else {
          return ServedResponse(framing: .length(10), steps: [.drop])
        }
        return ServedResponse(text: text)
      }
      let result: Result<Void, any Error>
      do { result = .success(try await body(server.url)) } catch { result = .failure(error) }
      await server.stop()
      try result.get()
    }
  }

  @Suite("The page of a feed with a service")
  struct PageOfflineTests {
    private static let message = "Couldn't connect to server"

    private static func universities(_ names: String...) -> String {
      let records = names.map {
        #"{"name": "\#($0)", "country": "Greece", "alpha_two_code": "GR", "web_pages": []}"#
      }
      return "[\(records.joined(separator: ","))]"
    }

    private static func image(_ number: Int) throws -> String {
      let id = try Sample.image(number).id.uuidString
      return #"{"items": [{"id": "\#(id)", "image": "https://example.com/1.jpg"}]}"#
    }

    @Test("shows the latest feed online, and replaces it on refresh")
    func online() async throws {
      let service = Service()
      try await service.run { url in
        let site = try PageSite(
          origins: ["universities": url.appending(path: "feed")], freshness: .seconds(3600),
          serviceDelay: .zero, now: Date())
        let home = try await site.get("/")
        #expect(home.text.contains("Universities Not loaded yet"))
        service.answer("/feed", Self.universities("First"))
        let page = try await site.get("/page/universities")
        #expect(try page.contents(of: "h2") == ["First"])
        service.answer("/feed", Self.universities("Second", "Third"))
        #expect(try await site.get("/page/universities").contents(of: "h2") == ["First"])
        let refresh = try #require(
          try page.attributes("href").first { $0.contains("refresh") })
        #expect(try await site.get(refresh).contents(of: "h2") == ["Second", "Third"])
        #expect(
          try await site.get("/page/universities").contents(of: "h2") == ["Second", "Third"])
      }
    }

    @Test("shows the cached feed offline, with the reason")
    func saved() async throws {
      let service = Service()
      try await service.run { url in
        let now = Date()
        let site = try PageSite(
          origins: ["news": url.appending(path: "feed")], now: now)
        try site.save([try Sample.article()], as: "news", at: now - 3 * 86_400)
        let page = try await site.get("/page/news")
        #expect(page.status == 200)
        #expect(page.html.contains(#"role="alert""#))
        #expect(page.text.contains("\(Self.message) Showing what was saved 3 days ago"))
        #expect(try page.contents(of: "h2") == ["Headline"])
        #expect(page[.cacheControl] == "no-store")
        #expect(page[.eTag] == nil)
      }
    }

    @Test("shows only the error message offline without a cached feed")
    func empty() async throws {
      let service = Service()
      try await service.run { url in
        let site = try PageSite(origins: ["news": url.appending(path: "feed")], now: Date())
        let page = try await site.get("/page/news", languages: "el")
        #expect(page.status == 503)
        #expect(page.text.contains("Δεν ήταν δυνατή η σύνδεση με τον διακομιστή"))
        #expect(page.text.contains("Δεν έχει αποθηκευτεί τίποτα για προβολή εκτός σύνδεσης"))
        #expect(page.text.contains("Δοκιμάστε ξανά"))
        #expect(try page.contents(of: "h1") == ["Ειδήσεις"])
      }
    }

    @Test("shows only the error message offline if the cached feed is older than seven days")
    func expired() async throws {
      let service = Service()
      try await service.run { url in
        let now = Date()
        let site = try PageSite(origins: ["news": url.appending(path: "feed")], now: now)
        try site.save([try Sample.article()], as: "news", at: now - 8 * 86_400)
        let page = try await site.get("/page/news")
        #expect(page.status == 503)
        #expect(page.text.contains("\(Self.message) What was saved is too old to show"))
        #expect(!page.text.contains("Headline"))
      }
    }

    @Test("shows the cached feed with the reason if the service sends invalid data")
    func invalid() async throws {
      let service = Service()
      service.answer("/feed", "<html>")
      try await service.run { url in
        let now = Date()
        let site = try PageSite(
          origins: ["universities": url.appending(path: "feed")], now: now)
        try site.save([Sample.university("A")], as: "universities", at: now - 120)
        let page = try await site.get("/page/universities")
        #expect(page.text.contains("The server sent something that couldn't be read"))
        #expect(try page.contents(of: "h2") == ["A"])
      }
    }

    @Test("continues a list from the cached feed without asking the service")
    func further() async throws {
      let service = Service()
      try await service.run { url in
        let now = Date()
        let site = try PageSite(
          origins: ["universities": url.appending(path: "feed")], now: now)
        try site.save(
          (0..<30).map { Sample.university("\($0)") }, as: "universities", at: now - 120)
        let page = try await site.get("/page/universities")
        let next = try #require(try page.next())
        let more = try await site.get(next)
        #expect(more.status == 200)
        #expect(try more.contents(of: "h2") == (24..<30).map { "\($0)" })
      }
    }

    @Test("loads the comments on an image from the service of its feed each time")
    func comments() async throws {
      let service = Service()
      let id = try Sample.image(1).id.uuidString
      service.answer("/base/v1/feed", try Self.image(1))
      service.answer(
        "/base/v1/image/\(id)/comments",
        """
        {"items": [{"id": "\(id)", "message": "Lovely", "created_at": "2020-05-20T11:24:59+0000",
        "author": {"username": "ada"}}]}
        """)
      try await service.run { url in
        let site = try PageSite(
          origins: ["feed": url.appending(path: "base/v1/feed")], now: Date())
        _ = try await site.get("/page/feed")
        let path = "/page/feed/record?key=\(id)"
        let page = try await site.get(path)
        #expect(page.text.contains("Comments ada"))
        #expect(page.text.contains("Lovely"))
        #expect(page[.cacheControl] == "no-store")
        service.answer("/base/v1/image/\(id)/comments", nil)
        let offline = try await site.get(path)
        #expect(offline.status == 200)
        #expect(offline.text.contains("Comments \(Self.message)"))
        service.answer("/base/v1/image/\(id)/comments", #"{"items": []}"#)
        #expect(try await site.get(path).text.contains("Comments Nothing to show yet"))
      }
    }

    @Test("does not wait long for the comments on an image")
    func slowComments() async throws {
      let end = Gate()
      let id = try Sample.image(1).id.uuidString
      let server = try await LoopbackServer { _ in
        ServedResponse(framing: .length(1), steps: [.wait(end)])
      }
      let site = try PageSite(
        origins: ["feed": server.url("/v1/feed")], requestTimeout: .milliseconds(200), now: Date())
      try site.save([try Sample.image(1)], as: "feed", at: Date())
      let page = try await site.get("/page/feed/record?key=\(id)")
      #expect(page.status == 200)
      #expect(page.text.contains("Brighton"))
      #expect(page.text.contains("Comments \(Self.message)"))
      end.open()
      await server.stop()
    }

    @Test("shows an image without its comments if their policy lets them expire")
    func expiredComments() async throws {
      let now = Date()
      let image = try Sample.image(1)
      let name = "comments-\(image.id.uuidString)"
      let site = try PageSite(policies: [name: .essential], now: now)
      try site.save([image], as: "feed")
      try site.save(
        [ImageComment(id: image.id, message: "Old", createdAt: now, username: "ada")], as: name,
        at: now - 8 * 86_400)
      let page = try await site.get("/page/feed/record?key=\(image.id.uuidString)")
      #expect(page.status == 200)
      #expect(page.text.contains("Comments What was saved is too old to show"))
    }

    @Test("does not show an expired feed, even if the feed has no service")
    func policy() async throws {
      let now = Date()
      let site = try PageSite(policies: ["news": .news], now: now)
      let article = try Sample.article()
      try site.save([article], as: "news", at: now - 8 * 86_400)
      let generation = try #require(try site.database.feedDescription(named: FeedName("news")))
        .generation
      for path in [
        "/page/news", "/page/news?filter=Head", "/page/news?cursor=\(generation).0",
        "/page/news/record?key=\(article.url)",
      ] {
        let page = try await site.get(path)
        #expect(page.status == 503, "\(path)")
        #expect(page.text.contains("What was saved is too old to show"))
        #expect(!page.text.contains("Headline"))
      }
    }
  }
#endif
