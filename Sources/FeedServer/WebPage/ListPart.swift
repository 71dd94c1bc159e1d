import FeedRecord
import FeedSchema
import FeedStorage
import JSONStream

/// A part of a feed's list: its items, and the start of the next part.
struct ListPart: Sendable {
  /// The generation that was read.
  let feed: FeedDescription
  let style: ListStyle
  /// The titles of the columns if it is a table.
  let titles: [String]
  let items: [ListItem]
  /// The position of the next record; nil at the end.
  let next: Int?

  /// The maximum number of items.
  static let size = 24
  /// How long a filter searches before it reports its progress.
  static let timeLimit = Duration.milliseconds(300)
  /// The number of bytes after which the time is checked, however few records they are.
  private static let clockBytes = 1 << 20

  /// Reads from a position on.
  ///
  /// With a filter it also reads the records that do not match, so it blocks its thread for a
  /// while.
  ///
  /// - Throws: `damaged`; `cancelled`
  init(
    of feed: Feed, _ schema: PayloadSchema, from offset: Int, filter: String,
    as page: any RecordDisplay
  ) throws(StoreError) {
    let filter = TextFilter(filter, in: feed)
    let began = ContinuousClock.now
    var items: [ListItem] = []
    var next: Int?
    var lookedAt = 0
    try feed.scan(from: offset) { (record, position) throws(StoreError) in
      // The clock is read rarely. Without a filter, a part is never that long.
      let asks = position % 64 == 63 || lookedAt > Self.clockBytes
      if asks { lookedAt = 0 }
      lookedAt += record.bytes.byteCount
      let isLate = asks && ContinuousClock.now - began > Self.timeLimit
      if items.count == Self.size || isLate && position > offset {
        next = position
        return false
      }
      if try filter.matches(record) {
        var item = try Self.item(record, page)
        if schema.document != nil {
          item.key = try feed.address(of: record, at: position)
          // Documents of an app have the title that the app shows.
          if feed.description.presetName == nil {
            item.title = try feed.title(of: record, at: position)
          }
        }
        items.append(item)
      }
      return true
    }
    self.feed = feed.description
    style = page.style
    titles = page.titles
    self.items = items
    self.next = next
  }

  private static func item(
    _ record: borrowing RecordView, _ page: any RecordDisplay
  ) throws(StoreError) -> ListItem {
    do throws(RecordError) {
      return try page.item(record)
    } catch {
      throw StoreError(error)
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
    // Every value of the document is met, without regard to the structure.
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
