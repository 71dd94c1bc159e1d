import FeedRecord
package import FeedSchema
import LMDB

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension FeedDatabase {
  /// Calls `body` with the URL of every image that any feed names, from one snapshot.
  ///
  /// The URLs have the form under which images are stored. A feed of a kind outside the catalog, or
  /// of another layout, contributes all its texts.
  ///
  /// - Throws: `damaged` if a feed cannot be read completely
  package func forEachImageURL(
    catalog: PayloadCatalog = .standard, _ body: (RawSpan) -> Void
  ) throws(StoreError) {
    try tables.environment.read { transaction throws(StoreError) in
      for name in try tables.names(transaction) {
        guard let generation = try generation(of: name, transaction) else { continue }
        try forEachImageURL(of: generation, catalog, transaction, body)
      }
    }
  }

  private func forEachImageURL(
    of generation: PublishedGeneration, _ catalog: PayloadCatalog,
    _ transaction: borrowing ReadTransaction, _ body: (RawSpan) -> Void
  ) throws(StoreError) {
    let fields = ImageFields(of: generation, catalog)
    if fields.isEmpty { return }
    var scan = FeedScan(tables, generation)
    while try scan.step(
      in: transaction,
      { _, record, _ throws(StoreError) in
        try fields.forEachURL(of: record, body)
        return true
      })
    {}
  }
}

extension Feed {
  /// Calls `body` with the image URLs of its records from a position on, and the position of each
  /// record, until `body` returns false. It may then still be called for other URLs of that record.
  ///
  /// - Throws: `damaged`; `replaced` if a restored store lacks the rest
  package func forEachImageURL(
    from position: Int = 0, _ body: (RawSpan, Int) -> Bool
  ) throws(StoreError) {
    let fields = ImageFields(of: generation, database.catalog)
    if fields.isEmpty { return }
    try scan(from: position) { record, position throws(StoreError) in
      var shouldContinue = true
      try fields.forEachURL(of: record) { url in
        shouldContinue = body(url, position) && shouldContinue
      }
      return shouldContinue
    }
  }
}

/// The fields of a feed's records that may name images.
private struct ImageFields {
  private let texts: [FieldLocation]
  private let lists: [FieldLocation]

  init(of generation: PublishedGeneration, _ catalog: PayloadCatalog) {
    let layout = generation.row.layout
    let schema = catalog.schema(named: generation.row.kind)
    if let schema, schema.layout == layout {
      texts = schema.fields.filter(\.isImage).compactMap { layout.location(of: $0.id) }
      lists = []
    } else {
      texts = layout.fields.filter { $0.type == .text }.compactMap { layout.location(of: $0.id) }
      lists = layout.fields.filter { $0.type == .textList }
        .compactMap { layout.location(of: $0.id) }
    }
  }

  var isEmpty: Bool { texts.isEmpty && lists.isEmpty }

  /// The URLs have the form under which images are stored.
  func forEachURL(
    of record: borrowing RecordView, _ body: (RawSpan) -> Void
  ) throws(StoreError) {
    do throws(RecordError) {
      try forEachText(of: record) { text in ImageURL.withText(of: text, body) }
    } catch {
      throw StoreError(error)
    }
  }

  private func forEachText(
    of record: borrowing RecordView, _ body: (RawSpan) -> Void
  ) throws(RecordError) {
    for field in texts {
      if let text = try record.rawText(field) { body(text) }
    }
    for field in lists {
      guard let list = try record.textList(field) else { continue }
      for index in 0..<list.count { body(try list.rawElement(at: index)) }
    }
  }
}

/// The normalised URL under which an image is stored.
package enum ImageURL {
  /// A URL of a payload in the form of Foundation's `URL`, under which images are fetched and
  /// stored. It escapes brackets and number signs in places where they are not allowed. A text that
  /// is not a URL is returned unchanged.
  package static func text(_ given: String) -> String {
    let bytes = given.utf8
    let text = bytes.span.bytes
    guard !URLText.isPlainHTTP(text), URLText.isAbsolute(text) else { return given }
    return URL(string: given)?.absoluteString ?? given
  }

  /// Does the same with the bytes of a record. Costs nothing for most URLs.
  static func withText(of given: RawSpan, _ body: (RawSpan) -> Void) {
    if URLText.isPlainHTTP(given) { return body(given) }
    let text = text(given.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }).utf8
    body(text.span.bytes)
  }
}
