#if Server
  import FeedCore
  import Foundation
  import HTTPTypes
  import Testing

  @testable import FeedServer

  @Suite("The page of a record")
  struct PageDetailTests {
    @Test("shows the country, the state, the domains and the links of a university")
    func university() async throws {
      let site = try PageSite()
      try site.save(
        [
          Sample.university(
            "University of Crete", state: "Crete", pages: ["https://www.uoc.gr/", "http://old.gr"],
            domains: ["uoc.gr", "<b>.gr"])
        ], as: "universities")
      let page = try await site.get("/page/universities/record?key=University+of+Crete")
      #expect(page.status == 200)
      #expect(try page.contents(of: "h1") == ["University of Crete"])
      #expect(
        try page.contents(of: "dt")
          == ["Country", "Country code", "State or province", "Domains", "Web pages"])
      #expect(
        try page.contents(of: "dd")
          == ["Greece", "GR", "Crete", "uoc.gr", "<b>.gr", "https://www.uoc.gr/", "http://old.gr"])
      #expect(
        page.html.contains(#"<a href="https://www.uoc.gr/" rel="noopener noreferrer">"#))
    }

    @Test(
      "shows an address as text unless it is a web address",
      arguments: [
        "javascript:alert(1)", "JavaScript:alert(1)", "data:text/html,x", "//example.com",
        "vbscript:x", " javascript:alert(1)", "http:", "www.uoc.gr",
      ])
    func scheme(address: String) async throws {
      let site = try PageSite()
      try site.save([Sample.university("A", pages: [address])], as: "universities")
      let page = try await site.get("/page/universities/record?key=A")
      #expect(try page.contents(of: "dd").last == address.trimmingCharacters(in: .whitespaces))
      #expect(try page.attributes("href").allSatisfy { $0.hasPrefix("/") || $0 == "#main" })
    }

    @Test("shows the source, the author, the date, the whole text and the link of an article")
    func article() async throws {
      let site = try PageSite()
      try site.save([try Sample.article()], as: "news")
      let list = try await site.get("/page/news")
      let link = try #require(
        try list.attributes("href").first { $0.hasPrefix("/page/news/record") })
      let page = try await site.get(link)
      #expect(try page.contents(of: "h1") == ["Headline"])
      #expect(page.text.contains("From: Reuters · By A. Writer May 19, 2020 at"))
      #expect(try page.contents(of: "p").contains("First line."))
      #expect(try page.contents(of: "p").contains("Second line."))
      #expect(try page.attributes("href").contains("https://example.com/news/1?a=b"))
      #expect(page.text.contains("Read the whole article"))
    }

    @Test("shows the texts of an image, and a link to its source")
    func image() async throws {
      let site = try PageSite()
      try site.save([try Sample.image(1)], as: "feed")
      let page = try await site.get(
        "/page/feed/record?key=00000000-0000-0000-0000-000000000001")
      #expect(try page.contents(of: "h1") == ["Brighton"])
      #expect(try page.attributes("alt") == ["Image: A pier"])
      #expect(try page.attributes("href").contains("https://example.com/1.jpg?a=1&b=2"))
      #expect(!page.text.contains("Comments"))
    }

    @Test("shows the comments of the feed that is named after the image")
    func comments() async throws {
      let site = try PageSite()
      let image = try Sample.image(1)
      try site.save([image], as: "feed")
      try site.save(
        [
          ImageComment(
            id: image.id, message: "Lovely", createdAt: PageSite.now - 300, username: "ada")
        ], as: "comments-\(image.id.uuidString)")
      let page = try await site.get("/page/feed/record?key=\(image.id.uuidString)")
      #expect(page.text.contains("Comments ada 5 minutes ago Lovely"))
    }

    @Test("shows the portrait, the status and the species of a character")
    func character() async throws {
      let site = try PageSite()
      try site.save([try Sample.character()], as: "characters")
      let page = try await site.get("/page/characters/record?key=Rick")
      #expect(try page.contents(of: "dt") == ["Status", "Species"])
      #expect(try page.contents(of: "dd") == ["Alive", "Human"])
    }

    @Test("shows the text and the age of a comment")
    func comment() async throws {
      let site = try PageSite()
      let id = try Sample.image(1).id
      try site.save(
        [ImageComment(id: id, message: "Hi", createdAt: PageSite.now - 86_400, username: "ada")],
        as: "comments")
      let list = try await site.get("/page/comments")
      #expect(list.text.contains("ada Hi 1 day ago"))
      let page = try await site.get("/page/comments/record?key=\(id.uuidString)")
      #expect(page.text.contains("ada 1 day ago Hi"))
    }

    @Test("shows all fields of a record of any contract under their names")
    func anyContract() async throws {
      let site = try PageSite()
      try site.save([Recipe(title: "Ful", cuisine: "Egypt", source: "Amal")], as: "recipes")
      let page = try await site.get("/page/recipes/record?key=Ful")
      #expect(try page.contents(of: "dt") == ["cuisine", "source"])
      #expect(try page.contents(of: "dd") == ["Egypt", "Amal"])
    }

    @Test("shows all records with one key under one top-level heading")
    func sameKey() async throws {
      let site = try PageSite()
      try site.save(
        [Sample.university("A", state: "First"), Sample.university("A", state: "Second")],
        as: "universities")
      let page = try await site.get("/page/universities/record?key=A")
      #expect(try page.contents(of: "h1") == ["A"])
      #expect(page.text.contains("First") && page.text.contains("Second"))
    }
  }
#endif
