#if Server
  import FeedCore
  import Foundation
  import HTTPTypes
  import Testing

  @testable import FeedServer

  @Suite("The page with the list of a feed")
  struct PageListTests {
    @Test("lists all feeds with their counts and ages")
    func feeds() async throws {
      let site = try PageSite()
      try site.save([Sample.university("A"), Sample.university("B")], as: "universities")
      try site.save([try Sample.article()], as: "morning", at: PageSite.now - 300)
      let page = try await site.get("/")
      #expect(page.status == 200)
      #expect(try page.contents(of: "h1") == ["Feeds"])
      #expect(try page.contents(of: "h2") == ["morning", "Universities"])
      #expect(
        page.text.contains(/morning News Items: 1 Size: [0-9]+ (bytes|kB) Updated 5 minutes ago/))
      #expect(page.text.contains(/Universities Items: 2 Size: [0-9]+ (bytes|kB) Updated just now/))
      let links = try page.attributes("href")
      #expect(links.contains("/page/universities") && links.contains("/page/morning"))
    }

    @Test("states that a store has no feeds")
    func noFeeds() async throws {
      let page = try await PageSite().get("/")
      #expect(page.status == 200)
      #expect(page.text.contains("Nothing to show yet"))
    }

    @Test("lists universities with country and state, in the order of the feed")
    func universities() async throws {
      let site = try PageSite()
      try site.save(
        [Sample.university("Beta", state: "Attica"), Sample.university("Alpha")],
        as: "universities")
      let page = try await site.get("/page/universities")
      #expect(try page.contents(of: "h1") == ["Universities"])
      #expect(try page.contents(of: "h2") == ["Beta", "Alpha"])
      #expect(page.text.contains("Beta Greece · Attica Alpha Greece"))
      #expect(try page.attributes("href").contains("/page/universities/record?key=Alpha"))
    }

    @Test("shows images from this server, with alternative texts")
    func images() async throws {
      let site = try PageSite()
      try site.save(
        [
          try Sample.image(1), try Sample.image(2, description: nil),
          try Sample.image(3, description: nil, location: nil),
        ], as: "feed")
      let page = try await site.get("/page/feed")
      #expect(
        try page.attributes("src").filter { $0.hasPrefix("/images") }
          == (1...3).map {
            "/images?url=https%3A%2F%2Fexample.com%2F\($0).jpg%3Fa%3D1%26b%3D2"
          })
      #expect(
        try page.attributes("alt") == ["Image: A pier", "Image: Brighton", ""])
      #expect(try page.attributes("loading") == ["lazy", "lazy", "lazy"])
      #expect(try page.contents(of: "h2") == ["Brighton", "Brighton", "Untitled image"])
    }

    @Test("lists news with source and day")
    func news() async throws {
      let site = try PageSite()
      try site.save([try Sample.article()], as: "news")
      let page = try await site.get("/page/news")
      #expect(page.text.contains("Headline From: Reuters · Tue, 19 May"))
    }

    @Test("lists characters with status and species")
    func characters() async throws {
      let site = try PageSite()
      try site.save([try Sample.character()], as: "characters")
      let page = try await site.get("/page/characters")
      #expect(page.text.contains("Rick Alive · Human"))
      #expect(try page.attributes("alt") == ["Image: Rick"])
    }

    @Test("states that a feed has no items")
    func empty() async throws {
      let site = try PageSite()
      try site.save([University](), as: "universities")
      let page = try await site.get("/page/universities")
      #expect(page.status == 200)
      #expect(page.text.contains("Nothing to show yet"))
      #expect(try page.next() == nil)
    }

    @Test("links all parts of a long feed without a script")
    func loadMore() async throws {
      let site = try PageSite()
      let names = (0..<60).map { "University \($0)" }
      try site.save(names.map { Sample.university($0) }, as: "universities")
      var seen: [String] = []
      var path: String? = "/page/universities"
      var last: PageSeen?
      while let next = path {
        let page = try await site.get(next)
        #expect(page.status == 200)
        seen += try page.contents(of: "h2")
        path = try page.next()
        if path != nil { #expect(page.text.contains("Load more")) }
        last = page
      }
      #expect(seen == names)
      #expect(last?.text.contains("That is all") == true)
      #expect(last?.text.contains("Back to the beginning") == true)
    }

    @Test(
      "reports a replaced feed as gone, with a link to the start")
    func replaced() async throws {
      let site = try PageSite()
      let universities = (0..<30).map { Sample.university("University \($0)") }
      try site.save(universities, as: "universities")
      let next = try #require(try await site.get("/page/universities").next())
      try site.save(universities, as: "universities")
      let page = try await site.get(next)
      #expect(page.status == 410)
      #expect(page.text.contains("The feed has changed since this list was begun"))
      #expect(try page.attributes("href").contains("/page/universities"))
      #expect(page[.cacheControl] == "no-store")
    }

    @Test(
      "reports unknown addresses as not found",
      arguments: [
        "/page/nothing", "/page/universities?cursor=x", "/page/.hidden",
        "/page/universities/record",
        "/page/universities/record?key=Nothing", "/page/feed/record?key=no-uuid",
      ])
    func missing(path: String) async throws {
      let site = try PageSite()
      try site.save([Sample.university("A")], as: "universities")
      try site.save([try Sample.image(1)], as: "feed")
      let page = try await site.get(path)
      #expect(page.status == 404)
      #expect(try page.contents(of: "h1") == ["This couldn't be found"])
    }

    @Test("lists records of any contract by their key and texts")
    func anyContract() async throws {
      let site = try PageSite()
      try site.save([Recipe(title: "Ful", cuisine: "Egypt", source: "")], as: "recipes")
      let page = try await site.get("/page/recipes")
      #expect(try page.contents(of: "h1") == ["recipes"])
      #expect(page.text.contains("Ful Egypt"))
    }
  }

  @Suite("The filter of a list")
  struct PageFilterTests {
    private func site() throws -> PageSite {
      let site = try PageSite()
      try site.save(
        [
          Sample.university("Universidade de São Paulo", country: "Brazil"),
          Sample.university("University of Crete"), Sample.university("Ελληνικό Πανεπιστήμιο"),
        ], as: "universities")
      return site
    }

    @Test(
      "finds items that contain its text, ignoring case and accents",
      arguments: [
        ("SAO+PAULO", ["Universidade de São Paulo"]), ("brazil", ["Universidade de São Paulo"]),
        ("S%C3%A3o", ["Universidade de São Paulo"]), ("of%20crete", ["University of Crete"]),
        ("ελληνικο", ["Ελληνικό Πανεπιστήμιο"]),
        ("univers", ["Universidade de São Paulo", "University of Crete"]),
      ])
    func found(query: String, names: [String]) async throws {
      let page = try await site().get("/page/universities?filter=\(query)")
      #expect(try page.contents(of: "h2") == names)
      #expect(page.text.contains("Show all"))
    }

    @Test("states that nothing matches, and keeps its text for editing")
    func nothing() async throws {
      let page = try await site().get("/page/universities?filter=%22%3E%3Cb%3Ex")
      #expect(page.status == 200)
      #expect(page.text.contains("Nothing matches “\"><b>x”"))
      #expect(try page.attributes("value") == ["\"><b>x"])
      #expect(!page.html.contains("<b>"))
    }

    @Test("is ignored if it has only spaces")
    func blank() async throws {
      let page = try await site().get("/page/universities?filter=+%20+")
      #expect(try page.contents(of: "h2").count == 3)
    }

    @Test("continues after the found items")
    func further() async throws {
      let site = try PageSite()
      let names = (0..<100).map { $0 % 2 == 0 ? "Even \($0)" : "Odd \($0)" }
      try site.save(names.map { Sample.university($0) }, as: "universities")
      var seen: [String] = []
      var path: String? = "/page/universities?filter=even"
      while let next = path {
        let page = try await site.get(next)
        seen += try page.contents(of: "h2")
        path = try page.next()
      }
      #expect(seen == names.filter { $0.hasPrefix("Even") })
    }
  }

  /// A contract that no app has.
  struct Recipe: EncodablePayloadModel {
    var title: String
    var cuisine: String
    var source: String

    static let schema = makeSchema()

    private static func makeSchema() -> PayloadSchema {
      do {
        return try PayloadSchema(
          name: "recipes", identifier: 4_711, key: 1,
          fields: [
            .init(id: 1, "title", kind: .text), .init(id: 2, "cuisine", kind: .text),
            .init(id: 3, "source", kind: .text),
          ])
      } catch {
        preconditionFailure("\(error)")
      }
    }

    init(title: String, cuisine: String, source: String) {
      self.title = title
      self.cuisine = cuisine
      self.source = source
    }

    init(_ record: borrowing RecordView) throws(RecordError) {
      self.init(
        title: try record.requiredText(1), cuisine: try record.requiredText(2),
        source: try record.requiredText(3))
    }

    func encode(into fields: inout RecordFields) {
      fields.set(1, title)
      fields.set(2, cuisine)
      fields.set(3, source)
    }
  }
#endif
