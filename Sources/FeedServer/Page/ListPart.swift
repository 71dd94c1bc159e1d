import FeedPayloads
import FeedRecord
import FeedStorage
import Foundation

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

  /// Reads from a place on.
  ///
  /// A filter reads all records that it does not find, so this blocks its thread for a while.
  init(
    of leased: LeasedFeed, _ schema: PayloadSchema, from offset: Int, filter: String,
    as page: any RecordDisplay
  ) throws(StoreError) {
    let filter = TextFilter(filter, in: schema)
    let began = ContinuousClock.now
    var items: [ListItem] = []
    var next: Int?
    try leased.forEachRecord(from: offset) { (record, position) throws(StoreError) in
      // The clock is asked seldom; a feed without a filter is never so long.
      let isLate = position % 64 == 63 && ContinuousClock.now - began > Self.patience
      if items.count == Self.size || isLate && position > offset {
        next = position
        return false
      }
      do throws(RecordError) {
        if try filter.matches(record) { items.append(try page.item(record)) }
      } catch {
        throw StoreError(error)
      }
      return true
    }
    feed = leased.description
    style = page.style
    self.items = items
    self.next = next
  }
}

/// Finds records in which a text occurs, whatever the case and the accents of its letters.
struct TextFilter: Sendable {
  private let text: String
  private let schema: PayloadSchema
  private let fields: [PayloadSchema.Field]

  /// An empty text occurs in every record.
  init(_ text: String, in schema: PayloadSchema) {
    self.text = text
    self.schema = schema
    // Addresses and ids are not what people look for.
    let words = schema.fields.filter { [.text, .textList].contains($0.kind) }
    fields = words.isEmpty ? schema.fields : words
  }

  func matches(_ record: borrowing RecordView) throws(RecordError) -> Bool {
    guard !text.isEmpty else { return true }
    for field in fields {
      guard let value = try schema.text(of: field, in: record) else { continue }
      if value.range(of: text, options: [.caseInsensitive, .diacriticInsensitive]) != nil {
        return true
      }
    }
    return false
  }
}
