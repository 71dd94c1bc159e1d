#if Remote
  import FeedCore
  import FeedPresentation
  import Foundation
  import LoopbackServer
  import Testing

  @Suite("The stored origin of a feed", .timeLimit(.minutes(10)))
  struct FeedSourceOriginTests {
    private func source(_ target: String, _ served: Served) throws -> FeedSource {
      var parts = URLComponents(url: served.server.url(target), resolvingAgainstBaseURL: true)
      parts?.user = "ana"
      parts?.password = "secret-password"
      return FeedSource(
        try FeedName("feed"), from: try #require(parts?.url), in: served.database,
        client: served.client)
    }

    @Test("neither the origin nor an error contains the credentials or the query of the URL")
    func secrets() async throws {
      try await Served.run { served in
        served.answer(App.essential.payload(1...3))
        let source = try source("/feed?key=secret-key", served)
        let feed = try await source.load().feed
        #expect(feed.origin.hasPrefix(served.server.url("/feed").absoluteString))
        served.answer(App.essential.badPayload)
        let error = try #require(await remoteError { _ = try await source.refresh() })
        let place = served.server.url("/feed").absoluteString + ":1:"
        #expect(error.description.hasPrefix(place))
        for text in [feed.origin, error.description, "\(error)"] {
          #expect(!text.contains("secret"))
          #expect(!text.contains("ana"))
        }
      }
    }

    @Test("a request is conditional only for the URL of the cached feed, including its query")
    func query() async throws {
      try await Served.run { served in
        let payload = App.essential.payload(1...3)
        served.answer { _ in ServedResponse(fields: [("ETag", "\"one\"")], text: payload) }
        for target in ["/feed?page=1", "/feed?page=1", "/feed?page=2", "/feed", "/feed", "/feed?"] {
          _ = try await source(target, served).refresh()
        }
        let asked = served.server.requests.map { $0.fields["if-none-match"] }
        #expect(asked == [nil, "\"one\"", nil, nil, "\"one\"", nil])
      }
    }

    @Test("a request for another contract than the cached feed's is not conditional")
    func contract() async throws {
      try await Served.run { served in
        let payload = App.essential.payload(1...3)
        served.answer { request in
          guard request.fields["if-none-match"] == nil else { return ServedResponse(304) }
          return ServedResponse(fields: [("ETag", "\"one\"")], text: payload)
        }
        _ = try await source("/feed", served).refresh()
        let other = FeedSource(
          try FeedName("feed"), from: served.server.url("/feed"), in: served.database,
          schema: .universities, client: served.client)
        let error = try #require(await remoteError { _ = try await other.refresh() })
        #expect(LoadFailure(error) == .invalidData)
        #expect(served.server.requests.count == 2)
      }
    }

    /// Refreshes a feed under a policy that appends or replaces, and returns its record count.
    private func refresh(_ writing: CachePolicy.Writing, _ served: Served) async throws -> Int {
      var policy = CachePolicy.characters
      policy.write = writing
      return try await served.source("feed", policy: policy).refresh().feed.recordCount
    }

    private func answer(_ numbers: ClosedRange<Int>, _ served: Served) {
      let tag = "\"\(numbers)\""
      served.answer { request in
        guard request.fields["if-none-match"] != tag else { return ServedResponse(304) }
        return ServedResponse(fields: [("ETag", tag)], text: App.characters.payload(numbers))
      }
    }

    @Test("a policy that replaces requests the whole feed after an append")
    func addedTo() async throws {
      try await Served.run { served in
        answer(1...3, served)
        _ = try await refresh(.append, served)
        answer(3...4, served)
        for (writing, count) in [
          (CachePolicy.Writing.append, 4), (.append, 4), (.replace, 2), (.replace, 2),
          // The cached feed is whole, so a policy that appends has nothing to request.
          (.append, 2),
        ] {
          #expect(try await refresh(writing, served) == count)
        }
        let asked = served.server.requests.map { $0.fields["if-none-match"] }
        let (old, new) = ("\"1...3\"", "\"3...4\"")
        #expect(asked == [nil, old, new, nil, new, new])
      }
    }

    @Test("a feed that replaces an indexed one can be looked up by the same fields")
    func indexes() async throws {
      try await Served.run { served in
        let name = try FeedName("universities")
        var options = IngestOptions()
        options.feed = name
        options.indexedFields = ["country", "domains"]
        let ingest = served.database.bodyIngest(from: "file", options: options)
        try await ingest.feed(Array(App.universities.payload(1...3).utf8))
        let indexed = try await ingest.finish().feed.indexedFields
        #expect(indexed.count == 2)

        served.answer(App.universities.payload(4...5))
        let source = FeedSource(
          name, from: served.server.url, in: served.database, client: served.client)
        #expect(try await source.load().feed.indexedFields == indexed)
        let field = try #require(PayloadSchema.universities.field(named: "country")?.id)
        let key = Array("C".utf8)
        let feed = try served.database.existingFeed(named: name)
        let count = try feed.forEachRecord(whereField: field, hasBytes: key.span.bytes) { _, _ in }
        #expect(count == 2)
      }
    }

    @Test("an error of a service becomes a LoadFailure without a conversion by the app")
    func failures() async throws {
      try await Served.run { served in
        let source = try source("/feed", served)
        let refused = try #require(await remoteError { _ = try await source.load() })
        #expect(LoadFailure(refused) == .invalidData)
        await served.server.stop()
        let unreachable = try #require(await remoteError { _ = try await source.load() })
        #expect(LoadFailure(unreachable) == .connectivity)
      }
    }
  }
#endif
