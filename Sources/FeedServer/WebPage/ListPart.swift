import FeedRecord
import FeedSchema
import FeedStorage
import JSONStream

/// A part of a feed's list: its items, and the start of the next part.
struct ListPart: Sendable {
  /// The number of all items that a search selects.
  struct Matches: Sendable {
    var count = 0
    /// Whether all records were read before the deadline.
    var isWhole = true
  }

  /// The generation that was read.
  let feed: FeedDescription
  let style: ListStyle
  /// The columns if it is a table.
  let columns: [ListColumn]
  private(set) var items: [ListItem] = []
  /// The position of the next part; nil at the end. In a sorted list, positions are counted in its
  /// order.
  private(set) var next: Int?
  /// Nil for a list of all records, and for a part that continues a search.
  private(set) var matches: Matches?
  /// Whether the list was too long to be sorted and has the order of the feed.
  private(set) var isUnsorted = false

  /// How long a search continues before it reports its progress.
  private static let continuedLimit = Duration.milliseconds(300)

  /// Reads the part that a query selects.
  ///
  /// A search also reads the records that it does not select, so it blocks its thread for a while.
  ///
  /// - Throws: `damaged`; `cancelled`; `limitExceeded` for a part of a sorted list, or a numbered
  ///   page of a search, that takes too long; `replaced` for a part beyond those that can be sorted
  init(
    of feed: Feed, _ query: ListQuery, _ compiled: CompiledListQuery, as page: any RecordDisplay,
    _ limits: QueryLimits
  ) throws(StoreError) {
    self.feed = feed.description
    style = page.style
    columns = page.columns
    guard let order = compiled.order else {
      try read(feed, query, compiled, page, limits)
      return
    }
    do throws(StoreError) {
      try readSorted(by: order, feed, query, compiled, page, limits)
    } catch  where error.code == .limitExceeded && query.position == nil {
      isUnsorted = true
      var limits = limits
      limits.deadline = ContinuousClock.now + Self.continuedLimit
      try read(feed, query, compiled, page, limits)
    }
  }

  /// In the order of the feed. An indexed value is looked up.
  private mutating func read(
    _ feed: Feed, _ query: ListQuery, _ compiled: CompiledListQuery, _ page: any RecordDisplay,
    _ limits: QueryLimits
  ) throws(StoreError) {
    let filter = TextFilter(query.filter, in: feed)
    let counts = query.isSearch && query.position == nil
    let start =
      query.position?.position
      ?? (query.isSearch ? 0 : min(query.skipped, feed.description.recordCount))
    var toSkip = counts ? query.skipped : 0
    var limits = limits
    if query.isSearch, !counts { limits.deadline = ContinuousClock.now + Self.continuedLimit }
    var found = Matches()
    var reached = start
    do throws(StoreError) {
      try feed.forEachMatch(
        of: compiled.conditions, limits, from: start, needsText: false, reached: &reached
      ) { record, position, _ throws(StoreError) in
        guard try filter.matches(record) else { return true }
        found.count += 1
        if toSkip > 0 {
          toSkip -= 1
        } else if items.count < query.size {
          items.append(try feed.listItem(record, at: position, as: page))
        } else {
          if next == nil { next = position }
          return counts
        }
        return true
      }
    } catch  where error.code == .limitExceeded && toSkip == 0 {
      if next == nil { next = reached }
      found.isWhole = false
    }
    if counts { matches = found }
  }

  private mutating func readSorted(
    by order: SortKey, _ feed: Feed, _ query: ListQuery, _ compiled: CompiledListQuery,
    _ page: any RecordDisplay, _ limits: QueryLimits
  ) throws(StoreError) {
    let filter = TextFilter(query.filter, in: feed)
    let start = query.position?.position ?? query.skipped
    let (end, overflow) = start.addingReportingOverflow(query.size)
    guard !overflow, end <= CompiledQuery.maximumSorted else {
      // Lists never link to such a part. If the query has no position, the caller shows the list in
      // the order of the feed.
      throw StoreError(
        query.position == nil ? .limitExceeded : .replaced, "the part begins too late to be sorted")
    }
    let (positions, total) = try feed.sortedPositions(
      of: compiled.conditions, by: [order], count: end, limits
    ) { record throws(StoreError) in try filter.matches(record) }
    for position in positions.dropFirst(start) {
      _ = try feed.visit(position) { record, position throws(StoreError) in
        items.append(try feed.listItem(record, at: position, as: page))
        return false
      }
    }
    next = end < min(total, CompiledQuery.maximumSorted) ? end : nil
    if query.isSearch { matches = Matches(count: total) }
  }
}

extension Feed {
  /// A record as an item of a list, under the key by which the page finds it.
  func listItem(
    _ record: RecordView, at position: Int, as page: any RecordDisplay
  ) throws(StoreError) -> ListItem {
    var item: ListItem
    do throws(RecordError) {
      item = try page.item(record)
    } catch {
      throw StoreError(error)
    }
    guard schema.document != nil else { return item }
    item.key = try address(of: record, at: position)
    // Documents of an app have the title that the app shows.
    if description.presetName == nil { item.title = try title(of: record, at: position) }
    return item
  }
}

/// The conditions and the order of a list, compiled for its feed.
struct CompiledListQuery: Sendable {
  /// Why a query cannot be compiled.
  struct Fault: Error {
    /// The condition at fault; nil if it is the order.
    let condition: String?
    let reason: String
  }

  /// Without an order.
  let conditions: CompiledQuery
  let order: SortKey?

  /// The paths that they name.
  var paths: [JSONPath] { [order?.path].compactMap(\.self) + conditions.conditions.map(\.path) }

  init(_ query: ListQuery, for feed: Feed) throws(Fault) {
    let extra = query.conditions.dropFirst(CompiledQuery.maximumConditions)
    if let first = extra.first {
      throw Fault(condition: first, reason: CompiledQuery.tooManyConditions.reason)
    }
    for text in query.conditions {
      do throws(QueryError) {
        _ = try CompiledQuery(FeedQuery(where: [text]), for: feed)
      } catch {
        throw Fault(condition: text, reason: error.reason)
      }
    }
    do throws(QueryError) {
      conditions = try CompiledQuery(FeedQuery(where: query.conditions), for: feed)
      order = try query.sort.map { text throws(QueryError) in try SortKey(text) }
      if let order { try feed.checkField(of: order.path) }
    } catch {
      throw Fault(condition: nil, reason: error.description)
    }
  }
}

/// Finds records that contain a text, ignoring case and accents.
struct TextFilter: Sendable {
  /// Nil if every record matches.
  private let search: TextSearch?
  private let feed: Feed
  private let schema: PayloadSchema
  private let fields: [PayloadSchema.Field]

  /// Every record contains the empty text.
  init(_ text: String, in feed: Feed) {
    search = text.isEmpty ? nil : TextSearch(text, folding: .casesAndAccents)
    self.feed = feed
    schema = feed.schema
    // People do not search for addresses and ids.
    let words = schema.fields.filter { [.text, .textList].contains($0.kind) }
    fields = words.isEmpty ? schema.fields : words
  }

  /// - Throws: `damaged`; `cancelled`
  func matches(_ record: borrowing RecordView) throws(StoreError) -> Bool {
    guard let search else { return true }
    if schema.document != nil {
      return try feed.withJSON(of: record) { text throws(StoreError) in
        try Self.matches(text, search)
      }
    }
    for field in fields {
      guard let text = try text(of: field, record) else { continue }
      if try search.isPart(of: Array(text.utf8).span.bytes) { return true }
    }
    return false
  }

  /// Whether a string or number of a document contains a text.
  private static func matches(_ text: RawSpan, _ search: TextSearch) throws(StoreError) -> Bool {
    var cursor = JSONCursor(text)
    // This visits every value of the document, without regard to the structure.
    var depth: [JSONCursor.Kind] = []
    while true {
      if let kind = cursor.nextKind(), kind.isContainer, cursor.enter() != nil {
        depth.append(kind)
      } else if let string = cursor.nextString() {
        if string.isEscaped {
          if try search.isPart(of: string.decoded(in: text).span.bytes) { return true }
        } else if try search.isPart(of: text.extracting(string.range)) {
          return true
        }
      } else {
        guard let range = cursor.skipValue() else { return false }
        if try search.isPart(of: text.extracting(range)) { return true }
      }
      while let kind = depth.last {
        if kind == .object ? cursor.nextKey() != nil : cursor.nextElement() != nil { break }
        depth.removeLast()
      }
      if depth.isEmpty { return false }
    }
  }

  private func text(
    of field: PayloadSchema.Field, _ record: borrowing RecordView
  ) throws(StoreError) -> String? {
    do throws(RecordError) {
      return try schema.text(of: field, in: record)
    } catch {
      throw StoreError(error)
    }
  }
}
