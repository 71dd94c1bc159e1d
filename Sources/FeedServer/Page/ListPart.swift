import FeedPayloads
import FeedRecord
import FeedStorage

/// A part of a feed's list: its items, and where the next part begins.
struct ListPart: Sendable {
  /// The generation that was read.
  let feed: FeedDescription
  let style: ListStyle
  let items: [ListItem]
  /// The record to go on with; nil at the end.
  let next: Int?

  /// The most items.
  static let size = 24
  /// How long a filter looks for them before it says how far it has come.
  static let patience = Duration.milliseconds(300)
  /// After as many bytes it looks how late it is, however few records they are.
  private static let clockBytes = 1 << 20

  /// Reads from a place on.
  ///
  /// A filter reads all records that it does not find, so this blocks its thread for a while.
  ///
  /// - Throws: `damaged`; `cancelled`
  init(
    of leased: LeasedFeed, _ schema: PayloadSchema, from offset: Int, filter: String,
    as page: any RecordDisplay
  ) throws(StoreError) {
    let filter = TextFilter(filter, in: schema)
    let began = ContinuousClock.now
    var items: [ListItem] = []
    var next: Int?
    var lookedAt = 0
    try leased.forEachRecord(from: offset) { (record, position) throws(StoreError) in
      // The clock is asked seldom; a feed without a filter is never so long.
      let asks = position % 64 == 63 || lookedAt > Self.clockBytes
      if asks { lookedAt = 0 }
      lookedAt += record.bytes.byteCount
      let isLate = asks && ContinuousClock.now - began > Self.patience
      if items.count == Self.size || isLate && position > offset {
        next = position
        return false
      }
      if try filter.matches(record) { items.append(try Self.item(record, page)) }
      return true
    }
    feed = leased.description
    style = page.style
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

/// Finds records in which a text occurs, whatever the case and the accents of its letters.
struct TextFilter: Sendable {
  /// Nil where everything is wanted.
  private let search: TextSearch?
  private let schema: PayloadSchema
  private let fields: [PayloadSchema.Field]

  /// An empty text occurs in every record.
  init(_ text: String, in schema: PayloadSchema) {
    search = text.isEmpty ? nil : TextSearch(text, folding: .casesAndAccents)
    self.schema = schema
    // Addresses and ids are not what people look for.
    let words = schema.fields.filter { [.text, .textList].contains($0.kind) }
    fields = words.isEmpty ? schema.fields : words
  }

  /// - Throws: `damaged`; `cancelled`
  func matches(_ record: borrowing RecordView) throws(StoreError) -> Bool {
    guard let search else { return true }
    for field in fields {
      guard let text = try text(of: field, record) else { continue }
      if try search.isPart(of: Array(text.utf8).span.bytes) { return true }
    }
    return false
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
