#if Server
  import FeedCore
  import FeedServer
  import Foundation
  import Synchronization
  import TestSupport
  import Testing

  @Suite("A feed over HTTP")
  struct HTTPFeedTests {
    @Test("is paged through, each record once and in order")
    func walk() async throws {
      try await TestServer.with(.universities(250)) { server in
        var names: [String] = []
        var next: String? = "/feeds/universities?limit=100"
        while let target = next {
          let page = try await server.get(target)
          #expect(page.status == 200)
          let object = try JSONSerialization.jsonObject(with: Data(page.body)) as? [String: Any]
          let records = object?["records"] as? [[String: Any]] ?? []
          names += records.compactMap { $0["name"] as? String }
          next = object?["next"] as? String
          #expect(page["link"] == next.map { "<\($0)>; rel=\"next\"" })
        }
        #expect(names == (0..<250).map { "U\($0)" })
      }
    }

    @Test("has links with the requested host, or with the public URL")
    func links() async throws {
      let database = try FeedDatabase.universities(10)
      let tags = Mutex<Set<String>>([])
      let proxies = ["https://feeds.example.org", "https://feeds.example.org:8443"]
      for (publicURL, root) in [(nil, "http://localhost")] + proxies.map({ ($0, $0) }) {
        var configuration = ServerConfiguration()
        configuration.publicURL = publicURL
        try await TestServer.with(database, configuration) { server in
          let target = "/feeds/universities?limit=5&format="
          let feed = try await server.get(target + "jsonfeed")
          // With the same tag, a client would keep links to the other host.
          let tag = try #require(feed["etag"])
          #expect(tags.withLock { $0.insert(tag).inserted })
          let object = try JSONSerialization.jsonObject(with: Data(feed.body)) as? [String: Any]
          #expect(object?["feed_url"] as? String == root + target + "jsonfeed")
          let next = try #require(object?["next_url"] as? String)
          #expect(next.hasPrefix(root + "/feeds/universities?"))
          #expect(try await server.get(String(next.dropFirst(root.count))).status == 200)
          let atom = try await server.get(target + "atom").text
          #expect(atom.contains(#"rel="next" href="\#(root)/feeds/universities?"#))
        }
      }
    }

    @Test("has a unique id for each entry, even if records share a key", arguments: [2, 100])
    func identifiers(limit: Int) async throws {
      let database = try FeedDatabase.openPrivate()
      let universities = ["A", "B", "A", "A", "C", "B"].enumerated().map { number, name in
        University(
          name: name, country: "Chile", alphaTwoCode: "CL", webPages: ["https://e.com/\(number)"])
      }
      try database.insert(
        universities, into: FeedName("universities"), referenceSeconds: 700_000_000)
      try await TestServer.with(database) { server in
        var identifiers: [String] = []
        var next: String? = "/feeds/universities?format=jsonfeed&limit=\(limit)"
        while let target = next {
          let body = try await server.get(target).body
          let page = try #require(
            JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])
          let items = try #require(page["items"] as? [[String: Any]])
          identifiers += items.compactMap { $0["id"] as? String }
          let link = page["next_url"] as? String
          next = link.map { String($0.dropFirst("http://localhost".count)) }
        }
        #expect(Set(identifiers).count == 6)
        #expect(identifiers.map { $0.prefix(1) } == ["A", "B", "A", "A", "C", "B"])
        #expect(identifiers.filter { !$0.contains("#") } == ["A", "B", "C"])
      }
    }

    @Test("links only to web addresses, whatever it contains", arguments: ["atom", "jsonfeed"])
    func links(_ format: String) async throws {
      let database = try FeedDatabase.openPrivate()
      let script = try #require(URL(string: "javascript:alert(1)"))
      let university = University(
        name: "A", country: "B", alphaTwoCode: "CC",
        webPages: ["httpx:a", script.absoluteString, "https://example.org/a", "https://b.example"])
      try database.insert([university], into: FeedName("universities"), referenceSeconds: 1)
      let article = Article(
        source: Source(name: "S"), author: nil, title: "T", description: "D", url: script,
        urlToImage: script, publishedAt: Date(timeIntervalSinceReferenceDate: 0), content: "")
      try database.insert([article], into: FeedName("news"), referenceSeconds: 1)
      try await TestServer.with(database) { server in
        let link = format == "atom" ? "href=\"" : "\"url\":\""
        let universities = try await server.get("/feeds/universities?format=\(format)")
        #expect(universities.text.contains(link + "https://example.org/a\""))
        #expect(!universities.text.contains("httpx:a\""))
        let news = try await server.get("/feeds/news?format=\(format)")
        #expect(news.status == 200)
        for name in [link, "\"image\":\""] { #expect(!news.text.contains(name + "javascript")) }
      }
    }

    @Test("that was replaced during paging returns 410 instead of mixed pages")
    func replaced() async throws {
      try await TestServer.with(.universities(10)) { server in
        let first = try await server.get("/feeds/universities?limit=5")
        let link = try #require(first["link"])
        let next = String(link.dropFirst().prefix { $0 != ">" })
        try server.database.insertUniversities(10, prefix: "V")
        let second = try await server.get(next)
        #expect(second.status == 410)
        #expect(second["content-type"] == "application/problem+json")
      }
    }

    @Test("of many records is sent as lines in chunks")
    func lines() async throws {
      try await TestServer.with(.universities(20_000)) { server in
        let all = try await server.get("/feeds/universities?format=ndjson")
        #expect(all["transfer-encoding"] == "chunked")
        let lines = all.text.split(separator: "\n")
        #expect(lines.count == 20_000)
        #expect(lines.last?.contains("\"U19999\"") == true)
      }
    }

    @Test(
      "is compressed for clients that accept it, with its own tag", arguments: ["gzip", "zstd"])
    func packed(coding: String) async throws {
      try await TestServer.with(.universities(2_000)) { server in
        let bare = try await server.get("/search")
        let packed = try await server.get("/search", ["Accept-Encoding": coding])
        #expect(packed["content-encoding"] == coding)
        #expect(packed["vary"] == "Accept-Encoding")
        #expect(packed["etag"] != bare["etag"])
        #expect(packed.body.count < bare.body.count / 3)
        if coding == "zstd" { #expect(try Packed.unzstd(packed.body) == bare.body) }
      }
    }

    @Test("is not sent to clients that have it")
    func conditional() async throws {
      try await TestServer.with(.universities(10)) { server in
        let tag = try #require(try await server.get("/feeds/universities")["etag"])
        for field in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
          let answer = try await server.get("/feeds/universities", ["If-None-Match": field])
          #expect(answer.status == 304)
          #expect(answer["etag"] == tag)
          #expect(answer["cache-control"] != nil)
        }
        let other = try await server.get("/feeds/universities", ["If-None-Match": "\"x\""])
        #expect(other.status == 200)
        let modified = try #require(other["last-modified"])
        let dated = try await server.get("/feeds/universities", ["If-Modified-Since": modified])
        #expect(dated.status == 304)
        let both = try await server.get(
          "/feeds/universities", ["If-Modified-Since": modified, "If-None-Match": "\"x\""])
        #expect(both.status == 200)
        try server.database.insertUniversities(10, prefix: "V")
        let changed = try await server.get("/feeds/universities", ["If-None-Match": tag])
        #expect(changed.status == 200)
        try server.database.insertUniversities(10, prefix: "W", seconds: 600_000_000)
        let older = try await server.get(
          "/feeds/universities", ["If-Modified-Since": modified])
        #expect(older.status == 200)
        #expect(older.text.contains("W1"))
      }
    }

    @Test("has a Last-Modified only after its second has passed")
    func recent() async throws {
      try await TestServer.with(.universities(1)) { server in
        // The test ends before this time.
        let soon = Date().timeIntervalSinceReferenceDate + 3_600
        try server.database.insertUniversities(1, seconds: soon)
        let answer = try await server.get("/feeds/universities")
        #expect(answer["last-modified"] == nil)
        #expect(answer["etag"] != nil)
      }
    }

    @Test("has the same fields for HEAD, and no body", arguments: ["json", "ndjson", "atom"])
    func head(format: String) async throws {
      try await TestServer.with(.universities(10)) { server in
        let target = "/feeds/universities?format=\(format)&limit=3"
        let whole = try await server.get(target)
        let head = try await server.get(target, method: "HEAD")
        #expect(head.undatedHead == whole.undatedHead)
      }
    }

    @Test("returns the first record with a key, and all of them as an array")
    func records() async throws {
      let database = try FeedDatabase.openPrivate()
      let twins = ["A", "B"].map { University(name: "a/b c", country: $0, alphaTwoCode: "XX") }
      try database.insert(twins, into: FeedName("universities"), referenceSeconds: 1)
      try await TestServer.with(database) { server in
        let first = try await server.get("/feeds/universities/records/a%2Fb%20c")
        #expect(first.text.contains("\"country\":\"A\""))
        #expect(!first.text.contains("\"country\":\"B\""))
        let all = try await server.get("/feeds/universities/records/a%2Fb%20c?all=1")
        #expect(all.text == "[\(first.text),\(first.text.replacing("\"A\"", with: "\"B\""))]")
        #expect(try await server.get("/feeds/universities/records/none").status == 404)
        #expect(try await server.get("/feeds/none").status == 404)
      }
    }

    @Test("that is published while the server runs is served at once")
    func published() async throws {
      try await TestServer.with(.universities(1)) { server in
        let first = try await server.get("/search")
        #expect(first.text.contains("U0"))
        try server.database.insertUniversities(1, prefix: "V")
        #expect(try await server.get("/search").text.contains("V0"))
      }
    }

    @Test(
      "refuses a search text that is too long",
      arguments: [
        "/search?name=", "/search?country=", "/api/character?name=", "/api/character?status=",
        "/v2/top-headlines?q=",
      ])
    func searchText(target: String) async throws {
      let database = try FeedDatabase.universities(1)
      try database.insert([SeriesCharacter](), into: FeedName("characters"), referenceSeconds: 1)
      try database.insert([Article](), into: FeedName("news"), referenceSeconds: 1)
      try await TestServer.with(database) { server in
        // Each character has two bytes, and six when escaped.
        let longest = String(repeating: "%C3%A9", count: 200)
        let (fits, refused) = (
          try await server.get(target + longest), try await server.get(target + longest + "a")
        )
        #expect(fits.status == 200)
        #expect(refused.status == 400)
      }
    }

    @Test(
      "refuses invalid parameters",
      arguments: [
        "limit=0", "limit=1001", "limit=x", "format=html", "cursor=x", "cursor=1.99999999",
      ])
    func parameters(query: String) async throws {
      try await TestServer.with(.universities(1)) { server in
        let answer = try await server.get("/feeds/universities?\(query)")
        #expect([400, 410].contains(answer.status))
        #expect(answer["content-type"] == "application/problem+json")
      }
    }
  }
#endif
