#if Server
  import FeedCore
  import FeedServer
  import Foundation
  import TestSupport
  import Testing

  /// A feed of odd URLs from a service, with every image of it that can be fetched.
  private struct OddFeed {
    static let origin = "https://news.example/v2/top-headlines"
    private static let image: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1]

    /// The texts of the records: their keys, and the URLs of their images.
    let keys: [String]
    let images: [String]

    init(seed: UInt64) {
      var random = SeededGenerator(seed: seed)
      let parts = [
        "a", "/", "%20", "[1]", " ", "é", "%", "|", "?q[]=1&x=%2F", "&y=a+b", "#f", "%C3%A9", "{}",
        "'", "\"", "<b>", "\\", "☃", "~", ";", "//", "=", "+", "%2B",
      ]
      func texts(_ starts: [String]) -> [String] {
        (0..<24).map { number in
          let rest = (0..<Int.random(in: 0..<6, using: &random)).map { _ in
            parts.randomElement(using: &random) ?? ""
          }
          return "\(starts[number % starts.count])\(number)" + rest.joined()
        }
      }
      keys = texts(["https://news.example/q", "/story/", "story", "//other.example/"])
      images = texts([
        "https://img.example/", "//img.example/", "/images/", "image", "http://é.example/",
        "HTTPS://IMG.example:443/",
      ])
    }

    /// Stores the feed, and its images in the form in which they are requested.
    func insert(into database: FeedDatabase, images store: ImageStore) async throws {
      let articles = zip(keys, images).map { key, image in
        [
          "source": ["name": "n"], "title": "t", "url": key,
          "urlToImage": image, "publishedAt": "2024-03-14T09:26:53Z",
        ] as [String: Any]
      }
      let payload = try JSONSerialization.data(withJSONObject: ["articles": articles])
      var options = IngestOptions()
      options.feed = try FeedName("news")
      // Feeds expire, and their keys with them.
      options.referenceSeconds = Date().timeIntervalSinceReferenceDate
      let push = database.push(from: Self.origin, options: options)
      try push.feed(Array(payload))
      let report = try push.finish()
      #expect(report.records == keys.count)
      #expect(report.unusableURLs == 0)
      let feed = try database.existingFeed(named: FeedName("news"))
      try feed.forEachImageURL { url, _ in
        let text = url.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        #expect(URL(string: text, encodingInvalidCharacters: false)?.host() != nil, "\(text)")
        #expect(throws: Never.self) { try store.insert(Self.image.span.bytes, for: text) }
        return true
      }
      #expect(try store.statistics().imageCount == Set(images).count)
    }
  }

  extension String {
    /// The text as a value of a query, or as a segment of a path.
    fileprivate var escaped: String {
      addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? self
    }

    /// The text without the entities of HTML and XML.
    fileprivate var withoutEntities: String {
      replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&quot;", with: "\"")
        .replacing("&#39;", with: "'").replacing("&amp;", with: "&")
    }

    fileprivate func attributes(_ name: String) throws -> [String] {
      try matches(of: Regex(" \(name)=\"([^\"]*)\"", as: (Substring, Substring).self))
        .map { String($0.output.1).withoutEntities }
    }
  }

  @Suite("Links, keys and image URLs", .timeLimit(.minutes(5)))
  struct LinkTests {
    @Test("that the server prints over HTTP are found as they are printed", arguments: [1, 2, 3])
    func http(seed: UInt64) async throws {
      let database = try FeedDatabase.openPrivate()
      let images = try ImageStore.open(at: database.directory)
      let odd = OddFeed(seed: seed)
      try await odd.insert(into: database, images: images)
      try await TestServer.with(database) { server in
        func found(_ target: String) async throws -> HTTPResult {
          let answer = try await server.get(target)
          #expect(answer.status == 200, "\(target)")
          return answer
        }
        // The records as JSON.
        let page = try await found("/feeds/news")
        let object = try JSONSerialization.jsonObject(with: Data(page.body)) as? [String: Any]
        let records = try #require(object?["records"] as? [[String: Any]])
        #expect(records.compactMap { $0["url"] as? String } == odd.keys)
        #expect(records.compactMap { $0["urlToImage"] as? String } == odd.images)
        for (key, image) in zip(odd.keys, odd.images) {
          #expect(try await found("/feeds/news/records/\(key.escaped)").text.contains("t"))
          #expect(try await found("/images?url=\(image.escaped)")["content-type"] == "image/png")
        }
        // The page: each of its own links, and of each detail.
        let list = try await found("/page/news").text
        let links = try (list.attributes("href") + list.attributes("src")).filter {
          $0.hasPrefix("/")
        }
        #expect(links.count { $0.hasPrefix("/page/news/record?") } == odd.keys.count)
        #expect(links.count { $0.hasPrefix("/images?") } == odd.images.count)
        for link in Set(links) {
          let answer = try await found(link)
          guard link.hasPrefix("/page/news/record?") else { continue }
          let inner = try (answer.text.attributes("href") + answer.text.attributes("src")).filter {
            $0.hasPrefix("/") && !links.contains($0)
          }
          for link in Set(inner) { _ = try await found(link) }
        }
        // The syndication formats name images by URLs that the server knows.
        let atom = try await found("/feeds/news?format=atom").text
        let enclosures = try atom.matches(
          of: Regex("rel=\"enclosure\" href=\"([^\"]*)\"", as: (Substring, Substring).self))
        #expect(enclosures.count == odd.images.count)
        for match in enclosures {
          _ = try await found("/images?url=\(String(match.output.1).withoutEntities.escaped)")
        }
        let feed = try await found("/feeds/news?format=jsonfeed")
        let items =
          (try JSONSerialization.jsonObject(with: Data(feed.body)) as? [String: Any])?["items"]
        for item in try #require(items as? [[String: Any]]) {
          let (id, image) = (item["id"] as? String ?? "", item["image"] as? String ?? "")
          _ = try await found("/feeds/news/records/\(id.escaped)")
          _ = try await found("/images?url=\(image.escaped)")
        }
      }
    }

    @Test("from a scan or a record have a value over RESP")
    func resp() async throws {
      try await RESPRoom.serve { room in
        let odd = OddFeed(seed: 4)
        try await odd.insert(into: room.database, images: room.images())
        try await room.connect { (peer: inout RESPPeer) async throws in
          let scanned = try await peer.scan("COUNT", "1000")
          let keys =
            odd.keys.map { "feed:news:item:" + $0 } + odd.images.map { "img:" + $0 }
          #expect(Set(scanned).isSuperset(of: odd.keys.map { "feed:news:item:" + $0 }))
          #expect(scanned.count { $0.hasPrefix("img:") } == Set(odd.images).count)
          for key in scanned + keys {
            #expect(try await peer.ask("GET", key) != .null, "\(key)")
            #expect(try await peer.ask("EXISTS", key) == .integer(1), "\(key)")
            #expect(try await peer.ask("STRLEN", key) != .integer(0), "\(key)")
            #expect(try await peer.ask("GETRANGE", key, "0", "0") != .text(""), "\(key)")
          }
        }
      }
    }

    @Test("lead to no image if a URL is unusable, and the list is still served")
    func nowhere() async throws {
      let database = try FeedDatabase.openPrivate()
      let texts = ["", "http://", "http://a b/", "/a.jpg", "//h.example/a.jpg", "1:2"]
      let articles = texts.enumerated().map { number, text in
        #"{"source":{"name":"n"},"title":"t","url":"https://e.com/\#(number)","urlToImage":"\#(text)","#
          + #""publishedAt":"2024-03-14T09:26:53Z"}"#
      }
      var options = IngestOptions()
      options.feed = try FeedName("news")
      // A feed from a file has no base URL for relative URLs.
      let push = database.push(from: "news.json", options: options)
      try push.feed(Array((#"{"articles":["# + articles.joined(separator: ",") + "]}").utf8))
      #expect(try push.finish().unusableURLs == texts.count)
      try await TestServer.with(database) { server in
        let list = try await server.get("/page/news")
        #expect(list.status == 200)
        #expect(!list.text.contains("/images?"))
        for text in texts where !text.isEmpty {
          #expect(try await server.get("/images?url=\(text.escaped)").status == 404)
        }
        let atom = try await server.get("/feeds/news?format=atom").text
        #expect(!atom.contains("enclosure"))
      }
    }
  }
#endif
