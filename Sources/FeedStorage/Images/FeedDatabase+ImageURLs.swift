package import FeedPayloads
import FeedRecord
import LMDB

extension FeedDatabase {
  /// Calls `body` with the URL of every image that any feed names, all from one snapshot.
  ///
  /// Each as images are kept under it. A feed of a kind that is not in the catalog, or of another
  /// layout, gives all its texts.
  ///
  /// - Throws: `damaged` where a feed cannot be read whole
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

  /// The same for one feed.
  ///
  /// - Throws: `notFound` where there is no such feed; `damaged`
  package func forEachImageURL(
    in name: FeedName, catalog: PayloadCatalog = .standard, _ body: (RawSpan) -> Void
  ) throws(StoreError) {
    try tables.environment.read { transaction throws(StoreError) in
      guard let generation = try generation(of: name, transaction) else { throw notFound(name) }
      try forEachImageURL(of: generation, catalog, transaction, body)
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
        do throws(RecordError) {
          try fields.forEachText(of: record) { ImageURL.withText(of: $0, body) }
        } catch {
          throw StoreError(error, path: tables.environment.path)
        }
        return true
      })
    {}
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

  func forEachText(
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
