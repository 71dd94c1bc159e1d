import FeedRecord

extension FeedDatabase {
  /// Copies a feed of another store. It replaces the feed of the same name.
  ///
  /// The records, their order, the key, the indexes, the schema, the text around the records, the
  /// timestamp and the validators are those of the feed. The number of the generation and the checksums
  /// are those of this store.
  ///
  /// - Parameter isCancelled: called from time to time; true stops and leaves nothing behind
  /// - Throws: as ``beginGeneration(_:isCancelled:)``; `damaged` if the feed is; `misuse` for a feed of
  ///   this store
  @discardableResult
  package func copy(
    _ feed: Feed, isCancelled: @escaping () -> Bool = { false }
  ) throws(StoreError) -> FeedDescription {
    // A process opens a store once, whatever path leads to it.
    guard feed.database.tables.environment !== tables.environment else {
      throw StoreError(
        .misuse, "the feed \(feed.description.name) is in this store already",
        path: directory)
    }
    let row = feed.generation.row
    let start = try beginChange(of: row.name, .none, .always, copies: false, isCancelled)
    let base = GenerationBase(
      row.copied(to: start.segment), schema: feed.description.schemaText, appended: nil,
      keepsEqualRecords: true, smallFeedBytes: smallFeedBytes)
    let writer = try GenerationWriter(
      self, base, start, condition: .always, isCancelled: isCancelled)
    try writer.copyRecords(of: feed.generation, in: feed.database.tables)
    do throws(StoreError) {
      return try writer.publish(
        referenceSeconds: Double(bitPattern: row.referenceBits), origin: row.origin,
        validators: row.validators, envelope: feed.description.envelope,
        envelopeInsertion: Int(row.envelopeInsertion))
    } catch {
      writer.abandon()
      throw error
    }
  }
}

extension GenerationRow {
  /// The row of a new generation that has the same properties, with one empty segment.
  fileprivate func copied(to segment: Segment) -> GenerationRow {
    var row = GenerationRow(
      state: .building, generation: segment.identifier, name: name, kind: kind, layout: layout,
      keyField: keyField, indexedFields: indexedFields, segments: [segment])
    row.details = details
    row.details.previousGeneration = 0
    row.details.indexBlockCounts = []
    row.removeRevision()
    return row
  }
}
