#if Server
  import FeedCore
  import TestSupport
  import Testing

  @Suite("The page of documents that conform to the contract of an app")
  struct PageAppDocumentTests {
    private let site: PageSite

    init() throws {
      site = try PageSite()
      for kind in AppDocuments.all { try AppDocuments.publish(kind, in: site.database) }
    }

    @Test("lists documents as their app does", arguments: ["characters", "news", "feed"])
    func list(kind: String) async throws {
      let html = try await site.get("/page/\(kind)-documents").html
      #expect(!html.contains("<table"))
      let words = [
        "characters": ["Rick", "Alive · Human", "r.png"],
        "news": ["First", "Second", "a.jpg"], "feed": ["1.jpg", "2.jpg"],
      ]
      for word in words[kind] ?? [] { #expect(html.contains(word), "\(word)") }
    }

    @Test("shows a document as its app does, and then all of its values")
    func detail() async throws {
      let article = try await site.get("/page/news-documents/record?key=https%3A%2F%2Fe.com%2Fa")
      #expect(article.status == 200)
      #expect(article.html.contains("<h1>First</h1>"))
      #expect(article.html.contains(#"<span class="name">language</span> <span>en</span>"#))
      let rick = try await site.get("/page/characters-documents/record?key=Rick").html
      // Both characters of this name
      #expect(rick.contains("<h1>Rick</h1>") && rick.contains("<h2>Rick</h2>"))
      #expect(rick.contains(#"<span class="name">origin</span>"#))
    }

    @Test("opens each record of a list, and the list of feeds")
    func links() async throws {
      let home = try await site.get("/")
      #expect(home.status == 200)
      for kind in AppDocuments.all {
        let list = try await site.get("/page/\(kind.name)-documents")
        #expect(list.status == 200, "\(kind.name)")
        let links = list.html.matches(of: /href="([^"]*\/record\?key=[^"]*)"/)
        #expect(!links.isEmpty, "\(kind.name)")
        for link in links {
          let path = link.output.1.replacing("&amp;", with: "&")
          #expect(try await site.get(String(path)).status == 200, "\(path)")
        }
      }
    }

    @Test("finds documents by their words, also in keys that the app does not know")
    func search() async throws {
      for (filter, title) in [("rObOt", "Rick"), ("earth", "Rick"), ("morty", "Morty")] {
        let html = try await site.get("/page/characters-documents?filter=\(filter)").html
        #expect(html.contains(title), "\(filter)")
      }
    }
  }
#endif
