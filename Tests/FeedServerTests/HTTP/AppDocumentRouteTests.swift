#if Server
  import FeedCore
  import FeedServer
  import Foundation
  import TestSupport
  import Testing

  @Suite("The apps' paths over documents with further keys", .timeLimit(.minutes(5)))
  struct AppDocumentRouteTests {
    private func database() throws -> FeedDatabase {
      let database = try FeedDatabase.openPrivate()
      for kind in AppDocuments.all { try AppDocuments.publish(kind, in: database) }
      return database
    }

    /// The records at the given positions, as a JSON array.
    private static func joined(_ kind: AppDocuments.Kind, _ places: Int...) -> String {
      "[" + places.map { kind.records[$0] }.joined(separator: ",") + "]"
    }

    @Test("characters are listed and filtered, with all of their keys")
    func characters() async throws {
      let kind = AppDocuments.characters
      try await TestServer.with(database()) { server in
        let all = try await server.get("/api/character")
        #expect(all.status == 200)
        #expect(
          all.text
            == #"{"info":{"count":3,"pages":1,"next":null,"prev":null},"results":"#
            + Self.joined(kind, 0, 1, 2) + "}")
        for (query, places) in [
          ("name=MORT", [1]), ("status=alive", [0]), ("species=bot&name=rick", [2]),
          ("status=al", []),
        ] {
          let found = try await server.get("/api/character?\(query)")
          let texts = "[" + places.map { kind.records[$0] }.joined(separator: ",") + "]"
          #expect(found.text.hasSuffix(#""results":\#(texts)}"#), "\(query)")
        }
        #expect(try await server.get("/api/character?page=2").status == 404)
      }
    }

    @Test("headlines, universities, images and comments are found")
    func others() async throws {
      try await TestServer.with(database()) { server in
        for (path, text) in [
          ("/v2/top-headlines?q=second", Self.joined(AppDocuments.news, 1)),
          ("/v2/top-headlines?sources=n,o", Self.joined(AppDocuments.news, 1)),
          ("/v2/top-headlines?pageSize=1", Self.joined(AppDocuments.news, 0)),
          ("/search?country=japan", Self.joined(AppDocuments.universities, 1)),
          ("/search?domain=B.JP", Self.joined(AppDocuments.universities, 1)),
          ("/search?name=%22a%22", Self.joined(AppDocuments.universities, 0)),
          ("/v1/feed", Self.joined(AppDocuments.images, 0, 1)),
          ("/v1/feed?limit=1", Self.joined(AppDocuments.images, 0)),
        ] {
          let found = try await server.get(path)
          #expect(found.status == 200 && found.text.contains(text), "\(path): \(found.text)")
        }
        for id in AppDocuments.images.keys[0...0].flatMap({ [$0, $0.uppercased()] }) {
          let rest = try await server.get("/v1/feed?after_id=\(id)")
          #expect(rest.text == #"{"items":\#(Self.joined(AppDocuments.images, 1))}"#, "\(id)")
          let comments = try await server.get("/v1/image/\(id)/comments")
          #expect(comments.text == #"{"items":\#(Self.joined(AppDocuments.comments, 0))}"#)
        }
        #expect(try await server.get("/v1/feed?after_id=\(UUID().uuidString)").status == 404)
        #expect(try await server.get("/v1/feed?after_id=7").status == 400)
      }
    }

    @Test("readers of Atom and JSON Feed get the entries of the app")
    func entries() async throws {
      try await TestServer.with(database()) { server in
        let news = try await server.get("/feeds/news-documents?format=atom").text
        #expect(news.contains("<title>First</title>") && news.contains("https://e.com/a.jpg"))
        let characters = try await server.get("/feeds/characters-documents?format=jsonfeed").text
        #expect(characters.contains(#""content_text":"Human, Alive""#))
        for kind in AppDocuments.all {
          for format in ["json", "ndjson", "atom", "jsonfeed"] {
            let path = "/feeds/\(kind.name)-documents?format=\(format)"
            #expect(try await server.get(path).status == 200, "\(path)")
          }
        }
      }
    }

    @Test("the generic paths serve the documents under the kind of the app")
    func generic() async throws {
      try await TestServer.with(database()) { server in
        let feeds = try await server.get("/feeds").text
        for kind in AppDocuments.all {
          #expect(feeds.contains(#""name":"\#(kind.name)-documents","kind":"\#(kind.name)""#))
          for (key, text) in zip(kind.keys, kind.records).dropLast() {
            let segment = key.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            let record = try await server.get("/feeds/\(kind.name)-documents/records/\(segment)")
            #expect(record.text == text, "\(key)")
          }
        }
        let pointer = "/feeds/characters-documents/records/Morty?pointer=/episode/1"
        #expect(try await server.get(pointer).text == #""2""#)
      }
    }

    @Test("an app's path stops serving a feed after an append of a record that does not conform")
    func appended() async throws {
      let database = try database()
      try await TestServer.with(database) { server in
        #expect(try await server.get("/api/character").status == 200)
        try AppDocuments.publish(
          AppDocuments.characters, [#"{"id":9,"name":"Bird"}"#], in: database
        ) { $0.appends = true }
        #expect(try await server.get("/api/character").status == 404)
        let record = try await server.get("/feeds/characters-documents/records/Bird")
        #expect(record.text == #"{"id":9,"name":"Bird"}"#)
      }
    }
  }
#endif
