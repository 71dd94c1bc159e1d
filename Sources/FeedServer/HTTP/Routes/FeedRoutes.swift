#if Server
  import FeedSchema
  import FeedStorage
  import HTTPTypes
  import JSONStream

  /// The generic paths: all feeds, one feed, its records.
  struct FeedRoutes: Sendable {
    private static let defaultLimit = 100
    private static let maximumLimit = 1000
    /// A page of large records ends before its limit.
    private static let pageBytes = 1 << 20

    let context: ServerContext

    /// `GET /feeds`
    func list(_ request: APIRequest) async throws -> HTTPAnswer {
      let now = try context.store.database.feeds()
      let lines = now.map { feed in
        var line = FeedLine(feed).line
        line.add("url", "/feeds/\(feed.name)")
        return line
      }
      let body = JSONLine.array(lines)
      let representation = Representation(
        mediaType: "application/json", tag: ContentTag.text(body),
        cacheControl: context.cacheControl(), isPacked: true)
      return try await request.answer(representation) { _ in .bytes(body) }
    }

    /// `GET /feeds/{name}`
    func feed(_ name: String, _ request: APIRequest) async throws -> HTTPAnswer {
      let format = try format(request)
      let limit = try request.target["limit"].map { _ throws(Problem) in
        try request.number("limit", in: 1...Self.maximumLimit, default: Self.defaultLimit)
      }
      // Later pages belong to the generation of the first; a newer feed would not match them.
      let resource = try await FeedResource(
        name, context, isStored: request.target["cursor"] != nil)
      let position = try PageCursor.position(request, in: resource.description)
      if QueryRequest.isQuery(request, format) {
        return try await query(resource, format, from: position, request)
      }
      let representation = resource.representation(
        format.mediaType, resource.form(format), isNegotiated: request.target["format"] == nil)
      return try await request.answer(representation) { fields in
        if format == .ndjson, limit == nil {
          return .chunks(lines(resource.feed, from: position), byteCount: nil)
        }
        let page = try FeedPage(
          resource, from: position, limit: limit ?? Self.defaultLimit, bytes: Self.pageBytes,
          format: format)
        let next = page.next.map { cursor in
          "/feeds/\(resource.description.name)?format=\(format.rawValue)&cursor=\(cursor)"
            + (limit.map { "&limit=\($0)" } ?? "")
        }
        if let next { fields.set("Link", "<\(next)>; rel=\"next\"") }
        return .bytes(try page.body(format, next: next, request))
      }
    }

    /// `GET /feeds/{name}/schema`
    func schema(_ name: String, _ request: APIRequest) async throws -> HTTPAnswer {
      let resource = try await FeedResource(name, context)
      let representation = resource.representation("application/schema+json", "s")
      return try await request.answer(representation) { _ in
        .bytes(resource.description.schemaText + [0x0A])
      }
    }

    private func format(_ request: APIRequest) throws(Problem) -> FeedFormat {
      guard let text = request.target["format"] else {
        return FeedFormat(accept: request.fields.all(.accept))
      }
      guard let format = FeedFormat(rawValue: text) else {
        throw .parameter("format", FeedFormat.allCases.map(\.rawValue).joined(separator: ", "))
      }
      return format
    }

    private func lines(_ feed: Feed, from position: Int) -> RecordChunks {
      RecordChunks(
        feed, at: [position..<feed.description.recordCount], opening: [],
        separator: [], closing: []
      ) { (record, bytes) throws(StoreError) in
        try feed.appendJSON(of: record, to: &bytes)
        bytes.append(0x0A)
        return true
      }
    }
  }

  /// The description of a feed for clients.
  struct FeedLine {
    var line = JSONLine()

    init(_ feed: FeedDescription) {
      let timestamp = DateText.text(referenceSeconds: feed.referenceSeconds)
      line.add("name", feed.name.text)
      line.add("kind", feed.kind)
      line.add("generation", feed.generation)
      line.add("timestamp", timestamp.map { String(decoding: $0, as: UTF8.self) })
      line.add("total", feed.recordCount)
    }
  }
#endif
