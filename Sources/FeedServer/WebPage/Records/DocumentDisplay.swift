import FeedPresentation
import FeedRecord
import FeedSchema
import FeedStorage
import JSONStream
import URLEscaping

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Documents, shown as a table of the scalars that most of them have, and each as a tree.
///
/// The caller adds the key of a record, which only the feed has.
struct DocumentDisplay: RecordDisplay {
  /// Longer texts are cut in a list.
  static let maximumCharacters = 120

  private let feed: Feed
  private let shown: DocumentColumns
  /// Whether the first column is the key.
  private let hasKeyColumn: Bool
  /// The path to the URL of a picture.
  private let image: JSONPath?
  private let text: FeedText
  private let base: URL?

  /// - Parameter asked: paths whose values are shown too
  /// - Throws: `damaged`
  init(_ feed: Feed, _ reader: PageReader, asked: [JSONPath] = []) throws(StoreError) {
    self.feed = feed
    let columns = try feed.documentColumns()
    hasKeyColumn = feed.keyTitle(besides: columns) == nil
    shown = columns.adding(
      asked, at: hasKeyColumn ? 1 : 0,
      numbers: Set(feed.facets.lazy.filter { $0.numbers != nil }.map(\.path)))
    image = feed.schema.fields.first { $0.isImage }.map { JSONPath(keys: $0.path) }
    text = reader.text
    base = reader.base
  }

  var style: ListStyle { .sheet }

  /// The columns, the first being that of the key.
  var columns: [ListColumn] {
    (hasKeyColumn ? [] : [ListColumn(title: feed.keyName, path: nil, isNumber: false)])
      + shown.columns.map {
        ListColumn(title: $0.title, path: $0.pathText, isNumber: $0.isNumber)
      }
  }

  func item(_ record: borrowing RecordView) throws(RecordError) -> ListItem {
    let cells = try cells(record).map { Self.cut($0 ?? "") }
    return ListItem(
      key: "", title: "", picture: try picture(of: record, ""),
      cells: hasKeyColumn ? Array(cells.dropFirst()) : cells)
  }

  private func cells(_ record: borrowing RecordView) throws(RecordError) -> [String?] {
    do throws(StoreError) {
      return try feed.cells(of: record, in: shown)
    } catch {
      throw RecordError(.damaged, error.message)
    }
  }

  func detail(_ record: borrowing RecordView) throws(RecordError) -> RecordDetail {
    let picture = try picture(of: record, text.imageAlternative(feed.description.name.text))
    do throws(StoreError) {
      let tree = try feed.withJSON(of: record) { text throws(StoreError) in DocumentTree(text).parts
      }
      return RecordDetail(title: "", picture: picture, tree: tree)
    } catch {
      throw RecordError(.damaged, error.message)
    }
  }

  private func picture(
    of record: borrowing RecordView, _ alternative: String
  ) throws(RecordError) -> PictureView? {
    guard let image else { return nil }
    do throws(StoreError) {
      let address = try feed.withJSON(of: record) { text throws(StoreError) in
        // A path without `[]` has no fault.
        ((try? image.find(in: text)) ?? nil).flatMap { Feed.text(ofValue: text.extracting($0)) }
      }
      guard let url = address.flatMap({ URL(escaping: $0, relativeTo: base) }) else { return nil }
      return PictureView(url, relativeTo: base, alternative: alternative)
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
    document = try DocumentDisplay(feed, reader)
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
  /// - Parameter asked: paths whose values the columns of documents show too
  /// - Throws: `damaged`
  func display(
    for reader: PageReader, asked: [JSONPath] = []
  ) throws(StoreError) -> any RecordDisplay {
    if schema.document == nil { return schema.display(for: reader) }
    if description.presetName != nil { return try ConformedDisplay(self, for: reader) }
    return try DocumentDisplay(self, reader, asked: asked)
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
