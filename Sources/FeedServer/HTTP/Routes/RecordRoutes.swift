#if Server
  import FeedSchema
  import FeedStorage
  import HTTPTypes
  import JSONStream

  // Records by their keys. The event loop makes the same responses with `RecordResponder`.
  extension FeedRoutes {
    /// `GET /feeds/{name}/records/{key}`, with a segment for each part of a composed key.
    func record(_ request: APIRequest) async throws -> HTTPAnswer {
      guard ["0", "1", nil].contains(request.target["all"]) else {
        throw Problem.parameter("all", "0 or 1")
      }
      guard let (name, key) = Route.record(request.target.segments) else {
        throw Problem.notFound("there is nothing here")
      }
      let path = try path(request)
      let resource = try await FeedResource(name, context)
      if let path, !asksForAll(request.target) {
        var answer = try request.answer(
          representation(resource, "v"), bytes: resource.value(at: path, ofKey: key))
        answer.condition = resource.condition
        return answer
      }
      guard asksForAll(request.target) else {
        return try answer(resource.record(key), of: resource, request)
      }
      let body = try await records(key, resource, path)
      var answer = try await request.answer(representation(resource, "a")) { _ in body }
      answer.condition = resource.condition
      return answer
    }

    /// The value of the record that is requested; nil for the whole.
    private func path(_ request: APIRequest) throws(Problem) -> JSONPath? {
      guard let text = request.target["pointer"] else { return nil }
      do throws(JSONPath.Fault) {
        return try JSONPath(pointer: text)
      } catch {
        throw .parameter("pointer", "a JSON Pointer (RFC 6901): \(error.reason)")
      }
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

    /// All records with a key, which may be the whole feed. With a path, only the values at the
    /// path of the records that have one.
    private func records(
      _ key: [String], _ resource: FeedResource, _ path: JSONPath?
    ) async throws -> HTTPAnswer.Body {
      let feed = resource.feed
      let runs = try await withTaskExecutorPreference(SearchThreads.shared) {
        try await resource.positions(key)
      }
      let chunks = RecordChunks(
        feed, at: runs, opening: [0x5B], separator: [0x2C], closing: [0x5D]
      ) { (record, bytes) throws(StoreError) in
        if let path { return try feed.appendValue(at: path, of: record, to: &bytes) }
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
    func record(_ key: [String]) throws -> [UInt8] {
      let record = try record(key, maximumBytes: .max)
      context.metrics.countLookup(isFound: record != nil)
      guard let record else { throw missing }
      return record
    }

    /// The first record with a key; nil if there is none, or its stored form is longer than
    /// `maximumBytes`.
    func record(_ key: [String], maximumBytes: Int) throws(StoreError) -> [UInt8]? {
      var record: [UInt8] = []
      record.reserveCapacity(1 << 10)
      var isFound = false
      if key.count == 1 {
        let key = key[0]
        isFound = try feed.appendJSON(
          ofKey: key.utf8Span.span.bytes, maximumBytes: maximumBytes, to: &record)
      } else if let bytes = feed.keyBytes(key) {
        isFound = try feed.appendJSON(
          ofKeyBytes: bytes.span.bytes, maximumBytes: maximumBytes, to: &record)
      }
      return isFound ? record : nil
    }

    /// The JSON text of a value of the first record with a key.
    ///
    /// - Throws: ``Problem`` 404 if there is none
    func value(at path: JSONPath, ofKey key: [String]) throws -> [UInt8] {
      var value: [UInt8] = []
      var hasValue = false
      guard let bytes = feed.keyBytes(key) else { throw missing }
      let count = try feed.lookUp(bytes.span.bytes) { record, _ throws(StoreError) in
        hasValue = try feed.appendValue(at: path, of: record, to: &value)
        return false
      }
      context.metrics.countLookup(isFound: count > 0)
      guard count > 0 else { throw missing }
      guard hasValue else { throw Problem.notFound("the record has no value at this pointer") }
      return value
    }

    /// The positions of the records with a key.
    ///
    /// - Throws: ``Problem`` 404 if there are none; `cancelled`
    @concurrent
    func positions(_ key: [String]) async throws -> [Range<Int>] {
      var runs: [Range<Int>] = []
      guard let bytes = feed.keyBytes(key) else { throw missing }
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
