#if Server
  import FeedRecord
  import FeedSchema
  import FeedStorage
  import HTTPTypes
  import JSONStream

  // Queries of a feed.
  extension FeedRoutes {
    private static let defaultLimit = 100
    private static let maximumLimit = 1000
    /// A page of large records ends before its limit.
    private static let pageBytes = 1 << 20

    /// `GET /feeds/{name}` with conditions, an order, an offset or columns.
    func query(
      _ resource: FeedResource, _ format: FeedFormat, from position: Int, _ request: APIRequest
    ) async throws -> HTTPAnswer {
      guard !format.isSyndicated else {
        throw Problem.parameter("format", "json, ndjson, csv or tsv for a query")
      }
      let asked = QueryRequest(request.target)
      let offset = try request.number("offset", in: 0...Int.max, default: 0)
      let isWhole = request.target["limit"] == nil && format != .json && asked.sort.isEmpty
      let limit =
        isWhole
        ? nil
        : try request.number("limit", in: 1...Self.maximumLimit, default: Self.defaultLimit)
      guard asked.sort.isEmpty || position == 0 else {
        throw Problem(.badRequest, "a sorted query continues with offset, not with cursor")
      }
      let compiled = try asked.compiled(for: resource.feed, offset: offset, limit: limit)
      let fields = try asked.fields(of: resource.feed)
      let writer = try QueryWriter(resource.feed, format, fields)
      let representation = resource.representation(
        format.mediaType, QueryRequest.form(request),
        isNegotiated: request.target["format"] == nil)
      return try await request.answer(representation) { answer in
        let runner = QueryRunner(context.configuration)
        if isWhole {
          return .chunks(
            try await chunks(resource.feed, compiled, writer, from: position, runner),
            byteCount: nil)
        }
        let page = try await runner.run { limits in
          try QueryPage(resource.feed, compiled, writer, from: position, Self.pageBytes, limits)
        }
        let next = page.next(compiled, resource.description, request)
        if let next { answer.set("Link", "<\(next)>; rel=\"next\"") }
        return .bytes(format == .json ? json(page, resource, next) : page.bytes)
      }
    }

    private func json(_ page: QueryPage, _ resource: FeedResource, _ next: String?) -> [UInt8] {
      var line = FeedLine(resource.description).line
      line.add("records", json: [0x5B] + page.bytes + [0x5D])
      line.add("next", next)
      if resource.current.failure != nil { line.add("stale", true) }
      return line.text + [0x0A]
    }

    /// All records that match. A scan sends them as it finds them; an index finds all of them
    /// first.
    private func chunks(
      _ feed: Feed, _ query: CompiledQuery, _ writer: QueryWriter, from position: Int,
      _ runner: QueryRunner
    ) async throws -> RecordChunks {
      let count = feed.description.recordCount
      var runs = [min(position, count)..<count]
      var (conditions, skipped) = (query.conditions, query.offset)
      if case .index = query.plan {
        runs = try await runner.run { limits in
          var found: [Range<Int>] = []
          try feed.forEachMatch(of: query, limits, from: position) {
            (_, position, _) throws(StoreError) in
            found.append(position: position)
            return true
          }
          return found
        }
        (conditions, skipped) = ([], 0)
      }
      return RecordChunks(
        feed, at: runs, opening: writer.opening, separator: [], closing: [],
        on: conditions.isEmpty ? nil : SearchThreads.shared,
        window: skipped..<Int.max
      ) { [conditions] (record, bytes) throws(StoreError) in
        try feed.withJSON(of: record) { text throws(StoreError) in
          for condition in conditions where !condition.matches(text) { return false }
          try writer.append(text, to: &bytes)
          return true
        }
      }
    }

    /// `GET /feeds/{name}/count`
    func count(_ name: String, _ request: APIRequest) async throws -> HTTPAnswer {
      let resource = try await FeedResource(name, context)
      let compiled = try QueryRequest(request.target).compiled(for: resource.feed)
      let representation = resource.representation(
        "application/json", QueryRequest.form(request))
      return try await request.answer(representation) { _ in
        let count = try await QueryRunner(context.configuration).run { limits in
          try resource.feed.count(of: compiled, limits)
        }
        var line = JSONLine()
        line.add("count", count)
        line.add("total", resource.description.recordCount)
        return .bytes(line.text + [0x0A])
      }
    }

    /// `GET /feeds/{name}/distinct?path=…`
    func distinct(_ name: String, _ request: APIRequest) async throws -> HTTPAnswer {
      let resource = try await FeedResource(name, context)
      let path = try QueryRequest.path("path", request, of: resource.feed)
      let limit = try request.number(
        "limit", in: 1...Self.maximumLimit, default: Self.defaultLimit)
      let compiled = try QueryRequest(request.target).compiled(for: resource.feed)
      let representation = resource.representation(
        "application/json", QueryRequest.form(request))
      return try await request.answer(representation) { _ in
        let values = try await QueryRunner(context.configuration).run { limits in
          try resource.feed.distinctValues(path, of: compiled, limits)
        }
        var list: [UInt8] = []
        for (index, value) in values.ranked().prefix(limit).enumerated() {
          if index > 0 { list.append(0x2C) }
          value.appendJSON(to: &list)
        }
        var line = JSONLine()
        line.add("path", path.text)
        line.add("distinct", values.count)
        line.add("values", json: [0x5B] + list + [0x5D])
        return .bytes(line.text + [0x0A])
      }
    }
  }

  /// Writes records of a query in a format.
  struct QueryWriter: Sendable {
    /// The text before the records.
    let opening: [UInt8]
    private let separator: [UInt8]
    private let fields: QueryFields?
    private let lines: DelimitedText?

    /// - Throws: ``Problem`` 400 if the records have no columns of their own
    init(_ feed: Feed, _ format: FeedFormat, _ fields: QueryFields?) throws(Problem) {
      self.fields = fields
      separator = format == .json ? [0x2C] : []
      guard format.isDelimited else {
        (opening, lines) = ([], nil)
        return
      }
      do throws(QueryError) {
        let columns: QueryFields
        if let fields { columns = fields } else { columns = try feed.allColumns() }
        let lines = DelimitedText(format == .csv ? .commas : .tabs, columns)
        var header: [UInt8] = []
        lines.appendHeader(to: &header)
        (opening, self.lines) = (header, lines)
      } catch {
        throw Problem(.badRequest, error.description)
      }
    }

    /// The maximum number of bytes that a record may have in all columns together.
    private static let maximumBytes = 64 << 20

    /// Appends a record, by its JSON text.
    ///
    /// - Throws: `limitExceeded` if its columns may have too many bytes
    func append(
      _ text: RawSpan, isFirst: Bool = true, to output: inout [UInt8]
    ) throws(StoreError) {
      let count = fields?.columns.count ?? 1
      guard count == 1 || text.byteCount <= Self.maximumBytes / count else {
        throw StoreError(
          .limitExceeded, "a record of \(text.byteCount) bytes cannot be sent in \(count) columns")
      }
      if let lines { return lines.append(text, to: &output) }
      if !isFirst { output += separator }
      if let fields {
        fields.appendObject(of: text, to: &output)
      } else {
        text.withUnsafeBytes { output.append(contentsOf: $0) }
      }
      if separator.isEmpty { output.append(0x0A) }
    }
  }

  /// Some records that a query asks for, in memory.
  struct QueryPage: Sendable {
    private(set) var bytes: [UInt8]
    private var count = 0
    /// The position after the last record, in the order of the feed.
    private var end = 0
    /// Whether there may be more.
    private var hasMore = false

    /// - Parameter position: the records before it are left out.
    init(
      _ feed: Feed, _ query: CompiledQuery, _ writer: QueryWriter, from position: Int,
      _ maximumBytes: Int, _ limits: QueryLimits
    ) throws(StoreError) {
      var page = writer.opening
      var (count, end, hasMore) = (0, 0, false)
      let limit = query.limit ?? .max
      try feed.forEachMatch(of: query, limits, from: position) {
        (_, at, text) throws(StoreError) in
        try writer.append(text, isFirst: count == 0, to: &page)
        count += 1
        end = at + 1
        hasMore = count == limit || page.count >= maximumBytes
        return !hasMore
      }
      bytes = page
      (self.count, self.end, self.hasMore) = (count, end, hasMore)
    }

    /// The path of the next page; nil if this is the last.
    func next(
      _ query: CompiledQuery, _ feed: FeedDescription, _ request: APIRequest
    ) -> String? {
      guard hasMore else { return nil }
      var items = request.target.items.filter { $0.name != "cursor" && $0.name != "offset" }
      if query.sort.isEmpty {
        guard end < feed.recordCount else { return nil }
        let cursor = PageCursor(generation: feed.generation, position: end)
        items.append(("cursor", cursor.description))
      } else {
        let offset = query.offset + count
        // Records beyond this maximum are not sorted.
        guard offset + (query.limit ?? 0) <= CompiledQuery.maximumSorted else { return nil }
        items.append(("offset", String(offset)))
      }
      let text = items.map { "\($0.name)=\($0.value.queryEscaped)" }.joined(separator: "&")
      return "/feeds/\(feed.name)?\(text)"
    }
  }
#endif
