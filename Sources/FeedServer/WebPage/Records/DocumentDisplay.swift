import FeedPresentation
import FeedRecord
import FeedSchema
import FeedStorage

/// Documents, shown as a table of the scalars that most of them have, and each as a tree.
///
/// The caller adds the key of a record, which only the feed has.
struct DocumentDisplay: RecordDisplay {
  /// Longer texts are cut in a list.
  static let maximumCharacters = 120

  private let feed: Feed
  private let columns: DocumentColumns
  /// Whether the first column is the key.
  private let hasKeyColumn: Bool

  /// - Throws: `damaged`
  init(_ feed: Feed) throws(StoreError) {
    self.feed = feed
    columns = try feed.documentColumns()
    hasKeyColumn = feed.keyTitle(besides: columns) == nil
  }

  var style: ListStyle { .sheet }

  /// The titles of the columns, the first being that of the key.
  var titles: [String] {
    (hasKeyColumn ? [] : [feed.keyName]) + columns.columns.map(\.title)
  }

  func item(_ record: borrowing RecordView) throws(RecordError) -> ListItem {
    let cells = try cells(record).map { Self.cut($0 ?? "") }
    return ListItem(key: "", title: "", cells: hasKeyColumn ? Array(cells.dropFirst()) : cells)
  }

  private func cells(_ record: borrowing RecordView) throws(RecordError) -> [String?] {
    do throws(StoreError) {
      return try feed.cells(of: record, in: columns)
    } catch {
      throw RecordError(.damaged, error.message)
    }
  }

  func detail(_ record: borrowing RecordView) throws(RecordError) -> RecordDetail {
    do throws(StoreError) {
      let tree = try feed.withJSON(of: record) { text throws(StoreError) in DocumentTree(text).parts
      }
      return RecordDetail(title: "", tree: tree)
    } catch {
      throw RecordError(.damaged, error.message)
    }
  }

  /// The first ``maximumCharacters`` of a text.
  static func cut(_ text: String) -> String {
    let start = text.prefix(maximumCharacters)
    return start.endIndex < text.endIndex ? start + "…" : text
  }
}

/// Documents that conform to the contract of an app, shown as the app shows its records. A document
/// may have more than the contract, so all of it follows as a tree.
struct ConformedDisplay: RecordDisplay {
  private let feed: Feed
  private let app: any RecordDisplay
  private let document: DocumentDisplay

  /// - Throws: `damaged`
  init(_ feed: Feed, for reader: PageReader) throws(StoreError) {
    self.feed = feed
    app = feed.contract.display(for: reader)
    document = try DocumentDisplay(feed)
  }

  var style: ListStyle { app.style }

  func item(_ record: borrowing RecordView) throws(RecordError) -> ListItem {
    try converted(record) { record throws(RecordError) in try app.item(record) }
  }

  func detail(_ record: borrowing RecordView) throws(RecordError) -> RecordDetail {
    var detail = try converted(record) { record throws(RecordError) in try app.detail(record) }
    detail.tree = try document.detail(record).tree
    return detail
  }

  private func converted<Result>(
    _ record: borrowing RecordView,
    _ body: (borrowing RecordView) throws(RecordError) -> Result
  ) throws(RecordError) -> Result {
    do throws(StoreError) {
      return try feed.withFields(of: record) { record throws(StoreError) in
        do throws(RecordError) {
          return try body(record)
        } catch {
          throw StoreError(error)
        }
      }
    } catch {
      throw RecordError(.damaged, error.message)
    }
  }
}

extension Feed {
  /// The display of its records for a reader.
  ///
  /// - Throws: `damaged`
  func display(for reader: PageReader) throws(StoreError) -> any RecordDisplay {
    if schema.document == nil { return schema.display(for: reader) }
    if description.presetName != nil { return try ConformedDisplay(self, for: reader) }
    return try DocumentDisplay(self)
  }

  /// The title of a record in a list: its key, or its position if it has none.
  func title(
    of record: borrowing RecordView, at position: Int
  ) throws(StoreError) -> String {
    let address = try address(of: record, at: position)
    // A link needs a text.
    let isBlank = address.allSatisfy(\.isWhitespace)
    return isBlank ? "“\(address)”" : DocumentDisplay.cut(address)
  }
}
