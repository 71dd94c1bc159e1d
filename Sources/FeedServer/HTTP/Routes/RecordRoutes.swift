#if Server
  import FeedSchema
  import FeedStorage
  import HTTPTypes

  // Records by their keys. The event loop makes the same responses with `RecordResponder`.
  extension FeedRoutes {
    /// `GET /feeds/{name}/records/{key}`
    func record(_ name: String, _ key: String, _ request: APIRequest) async throws -> HTTPAnswer {
      guard ["0", "1", nil].contains(request.target["all"]) else {
        throw Problem.parameter("all", "0 or 1")
      }
      let resource = try await FeedResource(name, context)
      guard asksForAll(request.target) else {
        return try answer(resource.record(key), of: resource, request)
      }
      let body = try await records(key, resource)
      var answer = try await request.answer(representation(resource, "a")) { _ in body }
      answer.condition = resource.condition
      return answer
    }

    /// Whether all records with a key are requested, instead of the first.
    func asksForAll(_ target: RequestTarget) -> Bool { target["all"] == "1" }

    /// Responds with one record.
    func answer(
      _ record: [UInt8], of resource: FeedResource, _ request: APIRequest
    ) throws -> HTTPAnswer {
      var answer = try request.answer(representation(resource, "r"), bytes: record)
      answer.condition = resource.condition
      return answer
    }

    private func representation(_ resource: FeedResource, _ form: String) -> Representation {
      resource.representation("application/json", form, isPacked: false)
    }

    /// All records with a key, which may be the whole feed.
    private func records(
      _ key: String, _ resource: FeedResource
    ) async throws -> HTTPAnswer.Body {
      let feed = resource.feed
      let runs = try await withTaskExecutorPreference(SearchThreads.shared) {
        try await resource.positions(key)
      }
      let chunks = RecordChunks(
        feed, at: runs, opening: [0x5B], separator: [0x2C], closing: [0x5D]
      ) { (record, bytes) throws(StoreError) in
        try feed.appendJSON(of: record, to: &bytes)
        return true
      }
      return .chunks(chunks, byteCount: nil)
    }
  }

  extension FeedResource {
    /// The first record with a key.
    ///
    /// - Throws: ``Problem`` 404 if there is none
    func record(_ key: String) throws -> [UInt8] {
      let record = try record(key, maximumBytes: .max)
      context.metrics.countLookup(isFound: record != nil)
      guard let record else { throw missing }
      return record
    }

    /// The first record with a key; nil if there is none, or its stored form is longer than
    /// `maximumBytes`.
    func record(_ key: String, maximumBytes: Int) throws(StoreError) -> [UInt8]? {
      var record: [UInt8] = []
      record.reserveCapacity(1 << 10)
      let isFound = try feed.appendJSON(
        ofKey: key.utf8Span.span.bytes, maximumBytes: maximumBytes, to: &record)
      return isFound ? record : nil
    }

    /// The positions of the records with a key.
    ///
    /// - Throws: ``Problem`` 404 if there are none; `cancelled`
    @concurrent
    func positions(_ key: String) async throws -> [Range<Int>] {
      var runs: [Range<Int>] = []
      guard let bytes = feed.schema.keyBytes(key) else { throw missing }
      _ = try feed.lookUp(bytes.span.bytes) { (_, position) throws(StoreError) in
        if position % 4096 == 0, Task.isCancelled {
          throw StoreError(.cancelled, "the client has disconnected")
        }
        runs.append(position: position)
        return true
      }
      context.metrics.countLookup(isFound: !runs.isEmpty)
      guard !runs.isEmpty else { throw missing }
      return runs
    }

    private var missing: Problem {
      Problem.notFound("the feed \(description.name) has no record of this key")
    }
  }
#endif
