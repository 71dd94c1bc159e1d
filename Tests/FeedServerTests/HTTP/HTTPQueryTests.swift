#if Server
  import FeedCore
  import FeedServer
  import Foundation
  import TestSupport
  import Testing

  @Suite("Queries over HTTP", .timeLimit(.minutes(5)))
  struct HTTPQueryTests {
    /// Records with unsorted numbers, too many for one page.
    private func database(_ count: Int = 1_000) throws -> FeedDatabase {
      let database = try FeedDatabase.openPrivate()
      var options = IngestOptions()
      options.feed = try FeedName("events")
      let push = database.push(from: "test.json", options: options)
      for number in 0..<count {
        let kind = number % 3 == 0 ? "push" : "watch, \\\"it\\\""
        try push.feed(
          Array(#"{"id":\#(number),"type":"\#(kind)","n":\#(number * 7919 % 1009)}"#.utf8) + [0x0A])
      }
      _ = try push.endDocument()
      try push.finish()
      return database
    }

    /// Long timeouts: the queries of all tests in the process wait for each other.
    private static var patient: ServerConfiguration {
      var configuration = ServerConfiguration()
      configuration.queryTimeout = .seconds(120)
      configuration.requestTimeout = .seconds(120)
      return configuration
    }

    private static func path(_ path: String, _ items: (String, String)...) -> String {
      let query = items.map { name, value in
        let escaped = value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? value
        return "\(name)=\(escaped)"
      }
      return "/feeds/events" + path + "?" + query.joined(separator: "&")
    }

    @Test("a query with conditions, an order and columns is paged by links")
    func pages() async throws {
      try await TestServer.with(database(), Self.patient) { server in
        var path: String? = Self.path(
          "", ("where", "type = push"), ("where", "n >= 500"), ("fields", "id,n"),
          ("sort", "-n"), ("limit", "100"))
        var numbers: [Int] = []
        while let target = path {
          let page = try await server.get(target)
          #expect(page.status == 200)
          let body = try #require(
            JSONSerialization.jsonObject(with: Data(page.body)) as? [String: Any])
          let records = try #require(body["records"] as? [[String: Int]])
          #expect(records.allSatisfy { $0.count == 2 })
          numbers += records.compactMap { $0["n"] }
          path = body["next"] as? String
        }
        let expected = (0..<1_000).filter { $0 % 3 == 0 }.map { $0 * 7919 % 1009 }
          .filter { $0 >= 500 }.sorted(by: >)
        #expect(numbers == expected)
      }
    }

    @Test("a query without an order continues with its cursor")
    func cursors() async throws {
      try await TestServer.with(database(), Self.patient) { server in
        var path: String? = Self.path("", ("where", "type = push"), ("limit", "7"))
        var ids: [Int] = []
        while let target = path {
          let page = try await server.get(target)
          let body = try #require(
            JSONSerialization.jsonObject(with: Data(page.body)) as? [String: Any])
          ids += (body["records"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? Int }
          path = body["next"] as? String
        }
        #expect(ids == (0..<1_000).filter { $0 % 3 == 0 })
      }
    }

    @Test("all matching records are sent as lines or as a table")
    func streams() async throws {
      try await TestServer.with(database(), Self.patient) { server in
        let lines = try await server.get(
          Self.path("", ("where", "n < 100"), ("format", "ndjson"), ("fields", "id")))
        let expected = (0..<1_000).filter { $0 * 7919 % 1009 < 100 }
        #expect(lines.text == expected.map { "{\"id\":\($0)}\n" }.joined())
        let table = try await server.get(
          Self.path("", ("where", "id in 1,3"), ("format", "csv"), ("offset", "0")))
        #expect(table["content-type"] == "text/csv; charset=utf-8; header=present")
        #expect(
          table.text
            == "id,type,n\r\n1,\"watch, \"\"it\"\"\",\(7919 % 1009)\r\n3,push,\(3 * 7919 % 1009)\r\n"
        )
      }
    }

    @Test("records are counted, and distinct values with their counts")
    func summaries() async throws {
      try await TestServer.with(database(), Self.patient) { server in
        let count = try await server.get(Self.path("/count", ("where", "type=push")))
        #expect(count.text == "{\"count\":334,\"total\":1000}\n")
        let values = try await server.get(
          Self.path("/distinct", ("path", "type"), ("limit", "1")))
        #expect(
          values.text
            == #"{"path":"type","distinct":2,"values":[{"value":"watch, \"it\"","count":666}]}"#
            + "\n")
      }
    }

    @Test(
      "an invalid query is refused with the reason",
      arguments: [
        ("", ("where", "type ? push"), "operator"), ("", ("sort", "a["), "not closed"),
        ("", ("fields", "a..b"), "a key is missing"), ("", ("format", "xml"), "format"),
        ("", ("where", ""), "path precedes"), ("/count", ("sort", "n"), "only where"),
        ("/distinct", ("where", "n=1"), "path"), ("/distinct", ("path", "n["), "not closed"),
      ])
    func faults(path: String, item: (String, String), reason: String) async throws {
      try await TestServer.with(database(1), Self.patient) { server in
        let answer = try await server.get(Self.path(path, item))
        #expect(answer.status == 400)
        #expect(answer.text.contains(reason), "\(answer.text)")
      }
    }

    @Test("more values of a parameter than the description allows are refused")
    func counts() async throws {
      try await TestServer.with(database(1), Self.patient) { server in
        for (path, name, value, maximum) in [
          ("/count", "where", "id=0", 32), ("", "sort", "id", 32), ("", "fields", "id", 1),
          ("", "offset", "0", 1), ("", "limit", "1", 1), ("", "format", "json", 1),
          ("/distinct", "path", "id", 1),
        ] {
          for count in [maximum, maximum + 1] {
            let items = Array(repeating: "\(name)=\(value)", count: count)
            let answer = try await server.get(
              "/feeds/events\(path)?\(items.joined(separator: "&"))")
            #expect(answer.status == (count > maximum ? 400 : 200), "\(name) \(count) times")
          }
        }
        for count in [256, 257] {
          let columns = Array(repeating: "id", count: count).joined(separator: ",")
          let answer = try await server.get(Self.path("", ("fields", columns)))
          #expect(answer.status == (count > 256 ? 400 : 200))
        }
      }
    }

    @Test("an offset beyond any feed is accepted without an order, and refused with one")
    func farOffset() async throws {
      try await TestServer.with(database(3), Self.patient) { server in
        for format in ["json", "ndjson"] {
          let answer = try await server.get(
            Self.path("", ("offset", "\(Int.max)"), ("format", format)))
          #expect(answer.status == 200)
        }
        let sorted = try await server.get(
          Self.path("", ("offset", "\(Int.max)"), ("sort", "n")))
        #expect(sorted.status == 400)
      }
    }

    @Test("a query that takes too long is refused with the advice to add an index")
    func timeout() async throws {
      var configuration = ServerConfiguration()
      configuration.queryTimeout = .zero
      try await TestServer.with(database(), configuration) { server in
        let answer = try await server.get(Self.path("/count", ("where", "n=1")))
        #expect(answer.status == 503)
        #expect(answer["retry-after"] == "5")
        #expect(answer.text.contains("--index"))
        let record = try await server.get("/feeds/events/records/1")
        #expect(record.status == 200)
      }
    }

    @Test("each query has its own entity tag for conditional requests")
    func conditional() async throws {
      try await TestServer.with(database(10), Self.patient) { server in
        let first = try await server.get(Self.path("", ("where", "n=0")))
        let other = try await server.get(Self.path("", ("where", "n=1")))
        let tag = try #require(first["etag"])
        #expect(other["etag"] != tag)
        let again = try await server.get(
          Self.path("", ("where", "n=0")), ["if-none-match": tag])
        #expect(again.status == 304)
      }
    }
  }
#endif
