#if Server
  import FeedCore
  import FeedServer
  import Foundation
  import TestSupport
  import Testing

  /// Every interface of a server, over a feed whose schema a Swift program has defined.
  @Suite("A served feed with a schema that is not built in")
  struct StoredSchemaTests {
    private func database() throws -> FeedDatabase {
      let database = try FeedDatabase.openPrivate()
      try Readings.publish(in: database)
      return database
    }

    @Test("is read over HTTP, in each format")
    func feed() async throws {
      try await TestServer.with(database()) { server in
        let page = try await server.get("/feeds/readings")
        #expect(page.status == 200)
        #expect(page.text.contains(#""records":[\#(Readings.lines.joined(separator: ","))]"#))
        let lines = try await server.get("/feeds/readings?format=ndjson")
        #expect(lines.text == Readings.lines.joined(separator: "\n") + "\n")
        for format in ["jsonfeed", "atom"] {
          let document = try await server.get("/feeds/readings?format=\(format)")
          #expect(document.status == 200 && document.text.contains("s-1"))
        }
        let list = try await server.get("/feeds")
        #expect(list.text.contains(#""kind":"readings""#))
      }
    }

    @Test("returns its records over HTTP by key, also a second time")
    func record() async throws {
      try await TestServer.with(database()) { server in
        for _ in 0..<2 {
          let record = try await server.get("/feeds/readings/records/s-1")
          #expect(record.status == 200 && record.text == Readings.lines[0])
        }
        let all = try await server.get("/feeds/readings/records/s-2?all=1")
        #expect(all.text == "[\(Readings.lines[1])]")
        #expect(try await server.get("/feeds/readings/records/s-3").status == 404)
      }
    }

    @Test("returns its schema over HTTP, with an entity tag")
    func schema() async throws {
      try await TestServer.with(database()) { server in
        let schema = try await server.get("/feeds/readings/schema")
        #expect(schema.status == 200)
        #expect(schema["content-type"] == "application/schema+json")
        #expect(schema.text == Readings.text + "\n")
        let tag = try #require(schema["etag"])
        let again = try await server.get("/feeds/readings/schema", ["If-None-Match": tag])
        #expect(again.status == 304)
        #expect(try await server.get("/feeds/none/schema").status == 404)
        #expect(try await server.get("/feeds/readings/schema?x=1").status == 400)
      }
    }

    @Test("is not served on an app's path, even if its kind has the app's name")
    func appRoutes() async throws {
      let database = try database()
      let impostor = try PayloadSchema(
        name: "universities", identifier: 1_002, key: 1,
        fields: [.init(id: 1, "title", kind: .text)])
      var options = IngestOptions()
      options.schema = impostor
      let push = database.push(from: "test", options: options)
      try push.feed(#"[{"title": "T"}]"#.utf8)
      _ = try push.finish()
      try await TestServer.with(database) { server in
        for path in ["/search", "/v1/feed", "/api/character", "/v2/top-headlines"] {
          let status = try await server.get(path).status
          #expect(status == 404, "\(path)")
        }
        for path in [
          "/feeds/universities", "/feeds/universities?format=atom", "/page/universities",
        ] {
          let status = try await server.get(path).status
          #expect(status == 200, "\(path)")
        }
        #expect(try await server.get("/page/universities/record?key=T").status == 200)
      }
    }

    @Test("is read over RESP")
    func resp() async throws {
      try await RESPRoom.serve(store: database()) { room in
        try await room.connect { peer in
          for _ in 0..<2 {
            let reply = try await peer.ask("GET", "feed:readings:item:s-1")
            #expect(reply == .bulk(Array(Readings.lines[0].utf8)))
          }
          let missing = try await peer.ask("GET", "feed:readings:item:s-3")
          #expect(missing == .null)
        }
      }
    }

    @Test("is listed and shown in the page by the names of its fields")
    func page() async throws {
      try await TestServer.with(database()) { server in
        #expect(try await server.get("/").text.contains("readings"))
        let list = try await server.get("/page/readings")
        #expect(list.status == 200 && list.text.contains("Porto"))
        let record = try await server.get("/page/readings/record?key=s-1")
        #expect(record.status == 200)
        for text in ["sensor.place.city", "Porto", "2026-11-25T06:30:00Z", "42", "north"] {
          #expect(record.text.contains(text), "\(text)")
        }
      }
    }
  }
#endif
