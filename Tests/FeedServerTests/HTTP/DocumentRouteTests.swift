#if Server
  import FeedCore
  import FeedServer
  import Foundation
  import TestSupport
  import Testing

  extension String {
    fileprivate var escaped: String {
      addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? self
    }

    /// The links of a page to paths of this server.
    fileprivate var ownLinks: Set<String> {
      get throws {
        var links: Set<String> = []
        for match in try matches(
          of: Regex("href=\"(/[^\"]*)\"", as: (Substring, Substring).self))
        {
          let link = String(match.output.1).replacing("&lt;", with: "<")
          links.insert(
            link.replacing("&quot;", with: "\"").replacing("&#39;", with: "'")
              .replacing("&amp;", with: "&"))
        }
        return links
      }
    }
  }

  @Suite("Document feeds over HTTP", .timeLimit(.minutes(5)))
  struct DocumentRouteTests {
    private func database() throws -> FeedDatabase {
      let database = try FeedDatabase.openPrivate()
      try OddDocuments.publish(in: database)
      return database
    }

    @Test("a feed lists the JSON texts of its records unchanged")
    func list() async throws {
      try await TestServer.with(database()) { server in
        let page = try await server.get("/feeds/odd")
        #expect(page.status == 200)
        #expect(
          page.text.contains(#""records":[\#(OddDocuments.keyed.joined(separator: ","))]"#))
        let lines = try await server.get("/feeds/odd?format=ndjson")
        #expect(lines.text == OddDocuments.keyed.joined(separator: "\n") + "\n")
        let schema = try await server.get("/feeds/odd/schema")
        #expect(schema["content-type"] == "application/schema+json")
        let object = try JSONSerialization.jsonObject(with: Data(schema.body))
        let properties = (object as? [String: Any])?["properties"] as? [String: Any]
        #expect(Set((properties ?? [:]).keys) == ["id", "name", "size", "tags", "at"])
      }
    }

    @Test("a record is found by any key, also a second time")
    func records() async throws {
      try await TestServer.with(database()) { server in
        for (key, text) in zip(OddDocuments.keys, OddDocuments.keyed) {
          for _ in 0..<2 {
            let record = try await server.get("/feeds/odd/records/\(key.escaped)")
            #expect(record.status == 200 && record.text == text, "\(key.debugDescription)")
          }
        }
        for (key, text) in zip(OddDocuments.numberKeys, OddDocuments.numbers) {
          #expect(try await server.get("/feeds/numbers/records/\(key)").text == text, "\(key)")
        }
        for (key, text) in zip(["last", "wide"], OddDocuments.large) {
          let isEqual = try await server.get("/feeds/large/records/\(key)").text == text
          #expect(isEqual, "\(key)")
        }
        #expect(try await server.get("/feeds/odd/records/none").status == 404)
        #expect(try await server.get("/feeds/odd/records").status == 404)
        #expect(try await server.get("/feeds/odd/records/a/b").status == 404)
        #expect(try await server.get("/feeds/odd/records/plain/").status == 404)
        #expect(try await server.get("/feeds/odd/records/?pointer=/size").text == "1.50")
      }
    }

    @Test("a composed key has a segment for each part, or is a JSON array")
    func composedKeys() async throws {
      try await TestServer.with(database()) { server in
        for (path, text) in [
          ("a%2Fb/1", #"{"k":"a/b","n":1,"x":10}"#), ("/2", #"{"k":"","n":2,"x":20}"#),
          ("a/2", #"{"k":"a","n":2.0,"x":30}"#), ("a/2?pointer=/x", "30"),
          (#"["a",2]"#.escaped, #"{"k":"a","n":2.0,"x":30}"#),
          (#"["a","2"]"#.escaped, #"{"k":"a","n":2.0,"x":30}"#),
        ] {
          let record = try await server.get("/feeds/composed/records/" + path)
          #expect(record.text == text, "\(path)")
        }
        for path in ["a", "a/3", "a/2/3", "%5B1%5D", "%5B"] {
          #expect(
            try await server.get("/feeds/composed/records/" + path).status == 404, "\(path)")
        }
      }
    }

    @Test("a record without a key is found by its position, and a repeated key has all its records")
    func positions() async throws {
      try await TestServer.with(database()) { server in
        func expect(_ path: String, _ text: String?) async throws {
          let answer = try await server.get("/feeds/\(path)")
          #expect(answer.status == (text == nil ? 404 : 200), "\(path)")
          if let text { #expect(answer.text == text, "\(path)") }
        }
        for (position, text) in ["1", #""two""#, "null", "true", "4.50", #""<b>""#].enumerated() {
          try await expect("scalars/records/%23\(position)", text)
        }
        try await expect("scalars/records/%236", nil)
        try await expect("scalars/records/%23-1", nil)
        let keyless = OddDocuments.keyless
        for (position, text) in keyless.enumerated() where position % 4 != 0 {
          try await expect("keyless/records/%23\(position)", text)
        }
        try await expect("keyless/records/a", keyless[0])
        try await expect("keyless/records/a?all=1", "[\(keyless[0]),\(keyless[4])]")
        try await expect("keyless/records/a?all=1&pointer=/n", "[0,4]")
        try await expect("keyless/records/null", nil)
        try await expect("keyless/records/", nil)
      }
    }

    @Test("a member is found by its exact key, and its value is the record")
    func members() async throws {
      try await TestServer.with(database()) { server in
        for (key, text) in zip(OddDocuments.memberKeys, OddDocuments.members) {
          let record = try await server.get("/feeds/members/records/\(key.escaped)")
          #expect(record.status == 200 && record.text == text, "\(key)")
        }
      }
    }

    @Test("a JSON Pointer selects a value of any record")
    func pointers() async throws {
      let database = try database()
      try Readings.publish(in: database)
      try await TestServer.with(database) { server in
        let found = [
          ("odd/records/plain", "/size", "1.50"), ("odd/records/plain", "/tags/1", #""<i>""#),
          ("odd/records/plain", "/at", "null"), ("odd/records/plain", "/tags", #"["t","<i>"]"#),
          ("odd/records/plain", "", OddDocuments.keyed.last ?? ""),
          ("numbers/records/42", "/v/1/deep/er", "true"), ("large/records/wide", "/k299", "299"),
          ("arrays/records/%231", "/2/c", "3"), ("readings/records/s-1", "/sensor/place", ""),
        ]
        for (path, pointer, value) in found {
          for _ in 0..<2 {
            let answer = try await server.get("/feeds/\(path)?pointer=\(pointer.escaped)")
            #expect(answer.status == 200, "\(path) \(pointer)")
            #expect(answer["content-type"] == "application/json")
            let expected = value.isEmpty ? #"{"city":"Porto"}"# : value
            #expect(answer.text == expected, "\(path) \(pointer)")
          }
        }
        for pointer in ["/none", "/tags/2", "/tags/-", "/tags/01", "/id/0", "/"] {
          let answer = try await server.get("/feeds/odd/records/plain?pointer=\(pointer.escaped)")
          #expect(answer.status == 404, "\(pointer)")
          #expect(answer["content-type"] == "application/problem+json")
        }
        #expect(try await server.get("/feeds/odd/records/none?pointer=/id").status == 404)
        for query in ["pointer=id", "pointer=/~2", "point=/id"] {
          let status = try await server.get("/feeds/odd/records/plain?\(query)").status
          #expect(status == 400, "\(query)")
        }
      }
    }

    @Test("every link of the page and every id of a syndicated entry leads to its record")
    func links() async throws {
      try await TestServer.with(database()) { server in
        for (name, _) in OddDocuments.documents {
          let list = try await server.get("/page/\(name)")
          #expect(list.status == 200, "\(name)")
          let links = try list.text.ownLinks
          let records = links.filter { $0.hasPrefix("/page/\(name)/record?") }
          let stored = try server.database.existingFeed(named: FeedName(name))
          let count = stored.description.recordCount
          // Two records have the key a.
          #expect(records.count == (name == "keyless" ? count - 1 : count), "\(name)")
          for link in links {
            let answer = try await server.get(link)
            #expect(answer.status == 200, "\(link)")
            for inner in try answer.text.ownLinks where records.contains(link) {
              #expect(try await server.get(inner).status == 200, "\(inner)")
            }
          }
          let feed = try await server.get("/feeds/\(name)?format=jsonfeed")
          let object = try JSONSerialization.jsonObject(with: Data(feed.body)) as? [String: Any]
          let items = try #require(object?["items"] as? [[String: Any]])
          #expect(Set(items.compactMap { $0["id"] as? String }).count == count, "\(name)")
          for item in items {
            // The id of the second record with a key has a suffix.
            let id = (item["id"] as? String ?? "").replacing(/^a#.+/, with: "a")
            let record = try await server.get("/feeds/\(name)/records/\(id.escaped)")
            #expect(record.status == 200, "\(name) \(id)")
            if !id.hasPrefix("a") { #expect(record.text == item["content_text"] as? String) }
          }
        }
      }
    }

    @Test("no path fails for any feed")
    func noFailure() async throws {
      try await TestServer.with(database()) { server in
        for (name, _) in OddDocuments.documents {
          for path in [
            "/feeds/\(name)", "/feeds/\(name)?format=ndjson",
            "/feeds/\(name)?format=ndjson&limit=1",
            "/feeds/\(name)?format=atom", "/feeds/\(name)?format=jsonfeed", "/feeds/\(name)/schema",
            "/page/\(name)", "/page/\(name)?filter=two", "/page/\(name)/record?key=a",
            "/page/\(name)/record?key=", "/page/\(name)/record?key=%5B",
            "/feeds/\(name)/records/%00",
            "/feeds/\(name)/records/%230?pointer=/0",
          ] {
            let answer = try await server.get(path)
            #expect([200, 404].contains(answer.status), "\(path): \(answer.status)")
          }
        }
        for path in ["/", "/feeds", "/metrics", "/openapi.json"] {
          #expect(try await server.get(path).status == 200, "\(path)")
        }
        // The store has no feeds for the paths of the apps.
        for path in [
          "/search", "/v1/feed", "/api/character", "/v2/top-headlines",
          "/v1/image/7019D8A7-0B35-4057-B7F9-8C5471961ED0/comments",
        ] {
          #expect(try await server.get(path).status == 404, "\(path)")
        }
      }
    }
  }
#endif
