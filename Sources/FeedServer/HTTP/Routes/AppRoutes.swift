#if Server
  import FeedCore
  import FeedSchema
  import FeedRecord
  import FeedStorage
  import HTTPTypes
  import JSONStream

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// The paths and payloads of the five apps, which can use this server unchanged.
  struct AppRoutes: Sendable {
    private static let characterPage = 20

    let context: ServerContext

    /// `GET /v1/feed?limit=&after_id=` (Essential App): up to `limit` images after the one with
    /// this id.
    func images(_ request: APIRequest) async throws -> HTTPAnswer {
      let limit = try request.number("limit", in: 1...1000, default: 10)
      var (resource, _) = try await records(ofKind: "feed", for: request, .imageFeed)
      var start = 0
      if let id = request.target["after_id"] {
        (resource, start) = try await images(after: id, resource)
      }
      return try await request.answer(resource.representation("application/json", "i")) { _ in
        let count = resource.description.recordCount
        let run = min(start, count)..<min(start + limit, count)
        return try Self.chunks(resource.feed, at: [run])
      }
    }

    /// The feed with at least one image after the one with an id, unless its service has no more,
    /// and the position of the first of them.
    private func images(
      after id: String, _ resource: FeedResource
    ) async throws -> (FeedResource, Int) {
      guard resource.feed.contract.keyBytes(id) != nil else {
        throw Problem.parameter("after_id", "the id of an image, a UUID")
      }
      let resource = try await resource.extended { feed in
        try position(after: id, in: feed).map { $0 < feed.description.recordCount } ?? false
      }
      guard let start = try position(after: id, in: resource.feed) else {
        throw resource.current.failure ?? Problem.notFound("there is no image of this id")
      }
      if start == resource.description.recordCount, let failure = resource.current.failure {
        throw failure
      }
      return (resource, start)
    }

    /// `GET /v1/image/{id}/comments` (Essential App): the feed `comments-` followed by the id, else
    /// the comments of the service of the image feed, else the feed of all comments.
    func comments(_ id: String, _ request: APIRequest) async throws -> HTTPAnswer {
      let bytes = Array(id.utf8)
      guard let uuid = UUIDText.parse(bytes.span.bytes) else {
        throw Problem.notFound("the id of an image is a UUID")
      }
      let text = String(decoding: UUIDText.text(high: uuid.high, low: uuid.low), as: UTF8.self)
      var feed = try await context.commentsFeed(ofImage: text)
      if feed == nil, let comments = try await serviceComments(text) {
        let representation = Representation(
          mediaType: "application/json", tag: ContentTag.text(comments),
          cacheControl: "no-store", isPacked: true)
        return try await request.answer(representation) { _ in .bytes(comments) }
      }
      if feed == nil { feed = try await FeedResource(ofKind: "comments", context).current }
      guard let feed else { throw Problem.notFound("there are no comments on this image") }
      let resource = FeedResource(feed, context)
      return try await request.answer(resource.representation("application/json", "c")) { _ in
        try whole(resource.feed, RecordFilter(resource.feed.contract))
      }
    }

    /// The payload with the comments of the service of the image feed; nil if it has none.
    private func serviceComments(_ id: String) async throws -> [UInt8]? {
      guard let image = UUID(uuidString: id),
        let name = try await FeedResource.name(ofKind: "feed", context),
        let comments = try await context.serviceComments(
          onImage: image, of: name, within: context.configuration.serviceTimeout)
      else { return nil }
      var line = JSONLine()
      line.add("items", comments.map { JSONLine($0) })
      return line.text
    }

    /// `GET /search?name=&country=` (ListApp): universities of a country whose name contains a
    /// text. As in the app's service, `name_contains` and `domain` also select by name and domain,
    /// and `limit` and `offset` select a part of the result.
    func universities(_ request: APIRequest) async throws -> HTTPAnswer {
      let limit = try request.number("limit", in: 1...Int.max, default: .max)
      let offset = try request.number("offset", in: 0...Int.max, default: 0)
      let (resource, filter) = try await records(
        ofKind: "universities", for: request, .universities, by: Self.universityFilters
      ) { filter in
        for name in ["name", "name_contains"] {
          try filter.require("name", contain: request.searchText(name))
        }
        try filter.require("country", equal: request.searchText("country"))
        try filter.require("domains", equal: request.searchText("domain"))
      }
      let end = offset.addingReportingOverflow(limit)
      let window = offset..<(end.overflow ? .max : end.partialValue)
      return try await request.answer(resource.representation("application/json", "u")) { _ in
        try whole(resource.feed, filter, window)
      }
    }

    private static let universityFilters = ["name", "name_contains", "country", "domain"]
    private static let characterFilters = ["name", "status", "species"]
    private static let headlineFilters = ["q", "sources"]

    /// The feed of an app's path and the filter of a request.
    ///
    /// Its service answers what the feed cannot: parameters that this server does not know, and
    /// filters while the service has more records than the feed.
    ///
    /// - Parameters:
    ///   - names: the parameters of the filter.
    ///   - fill: adds the rules of the request to the filter.
    private func records(
      ofKind kind: String, for request: APIRequest, _ route: Route, by names: [String] = [],
      fill: (inout RecordFilter) throws -> Void = { _ in }
    ) async throws -> (FeedResource, RecordFilter) {
      let feed = try await FeedResource(ofKind: kind, context)
      var filter = RecordFilter(feed.feed.contract)
      try fill(&filter)
      let unknown = request.ignoredParameters(of: route)
      let resource = try await feed.passing(unknown) ?? feed
      guard !filter.isEmpty, resource.statedCount != nil else { return (resource, filter) }
      let known = request.target.items.filter { names.contains($0.name) && !$0.value.isEmpty }
      guard let found = try await feed.passing(unknown + known) else { return (resource, filter) }
      return (found, RecordFilter(found.feed.contract))
    }

    /// `GET /api/character?page=&name=&status=&species=` (Rick and Morty App).
    func characters(_ request: APIRequest) async throws -> HTTPAnswer {
      let number = try request.number("page", in: 1...Int.max, default: 1)
      let (found, filter) = try await records(
        ofKind: "characters", for: request, .characters, by: Self.characterFilters
      ) { filter in
        try filter.require("name", contain: request.searchText("name"))
        try filter.require("status", equal: request.searchText("status"))
        try filter.require("species", contain: request.searchText("species"))
      }
      let size = Self.characterPage
      let resource =
        filter.isEmpty ? try await found.extended(toPage: number, of: size) : found
      let form = resource.form(ofPages: "h")
      return try await request.answer(resource.representation("application/json", form)) { _ in
        let page = try await NumberedPage(resource, number: number, size: size, filter)
        let pages = page.pages(of: size)
        guard number <= pages || number == 1 else {
          throw Problem.notFound("there are \(pages) pages")
        }
        func url(_ number: Int) -> String {
          let parameters = request.target.items.filter { $0.name != "page" && !$0.value.isEmpty }
            .map { "&\($0.name.queryEscaped)=\($0.value.queryEscaped)" }
          return request.url("/api/character?page=\(number)" + parameters.joined())
        }
        var info = JSONLine()
        info.add("count", page.total)
        info.add("pages", pages)
        info.add("next", number < pages ? url(number + 1) : nil)
        info.add("prev", number > 1 ? url(number - 1) : nil)
        var line = JSONLine()
        line.add("info", info)
        return try Self.chunks(
          page.feed, at: page.runs, frame: Self.frame("results", in: line))
      }
    }

    /// `GET /v2/top-headlines?page=&pageSize=&q=&sources=` (EssentialNews).
    func headlines(_ request: APIRequest) async throws -> HTTPAnswer {
      let number = try request.number("page", in: 1...Int.max, default: 1)
      let size = try request.number("pageSize", in: 1...100, default: 20)
      let (found, filter) = try await records(
        ofKind: "news", for: request, .headlines, by: Self.headlineFilters
      ) { filter in
        try filter.require("title", "description", "content", contain: request.searchText("q"))
        let sources = try request.searchText("sources")?.parts(separatedBy: ",")
        filter.require("source.id", equalAny: sources)
      }
      let resource =
        filter.isEmpty ? try await found.extended(toPage: number, of: size) : found
      let form = resource.form(ofPages: "n")
      return try await request.answer(resource.representation("application/json", form)) { _ in
        let page = try await NumberedPage(resource, number: number, size: size, filter)
        var line = JSONLine()
        line.add("status", "ok")
        line.add("totalResults", page.total)
        return try Self.chunks(
          page.feed, at: page.runs, frame: Self.frame("articles", in: line))
      }
    }

    /// The position after the record with a key; nil if there is none.
    private func position(after key: String, in feed: Feed) throws(StoreError) -> Int? {
      var position: Int?
      for bytes in feed.contractKeys(ofText: key) where position == nil {
        _ = try feed.lookUp(bytes.span.bytes) { (_, at) throws(StoreError) in
          position = at + 1
          return false
        }
      }
      return position
    }

    /// All matching records, in the envelope of the contract.
    private func whole(
      _ feed: Feed, _ filter: RecordFilter, _ window: Range<Int> = 0..<Int.max
    ) throws -> HTTPAnswer.Body {
      try Self.chunks(feed, at: [0..<feed.description.recordCount], filter, window: window)
    }

    /// Records in an envelope, by default that of the contract. Records may be large, so no
    /// response is made as a whole.
    private static func chunks(
      _ feed: Feed, at runs: [Range<Int>], _ filter: RecordFilter? = nil,
      window: Range<Int> = 0..<Int.max, frame: Frame? = nil
    ) throws -> HTTPAnswer.Body {
      let frame = frame ?? Self.frame(feed.contract.recordKey)
      let isSearch = filter?.isEmpty == false
      let chunks = RecordChunks(
        feed, at: runs, opening: frame.opening, separator: [0x2C], closing: frame.closing,
        on: isSearch ? SearchThreads.shared : nil, window: window
      ) { (record, bytes) throws(StoreError) in
        if isSearch, let filter, try !filter.fits(record, of: feed) { return false }
        try feed.appendJSON(of: record, to: &bytes)
        return true
      }
      return .chunks(chunks, byteCount: nil)
    }

    private typealias Frame = (opening: [UInt8], closing: [UInt8])

    /// The envelope of records that are the last value of an object, or an array of their own.
    private static func frame(_ key: String?, in line: JSONLine = JSONLine()) -> Frame {
      guard let key else { return ([0x5B], [0x5D]) }
      var line = line
      line.add(key, json: [0x5B, 0x5D])
      return (Array(line.text.dropLast(2)), [0x5D, 0x7D])
    }
  }
#endif
