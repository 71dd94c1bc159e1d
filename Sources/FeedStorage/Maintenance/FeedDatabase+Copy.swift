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
    let start = try beginChange(
      of: feed.description.name, .none, .always, copies: false, isCancelled)
    return try publishRecords(of: feed, start, isCancelled)
  }

  /// Publishes a feed of this near store again, as a new generation with the same properties, for a
  /// shared store that has lost a part of it. Waits up to 30 seconds for another change of the feed.
  ///
  /// - Parameter state: the state that the shared store must still have; nil for no row
  /// - Throws: as ``copy(_:isCancelled:)``; `conflict` if the shared store has another state, or this
  ///   store an earlier one
  package func republish(
    _ name: FeedName, replacing state: SharedState?, isCancelled: @escaping () -> Bool
  ) throws(StoreError) -> FeedDescription {
    let wait = FeedWait(waits: true, timeout: .seconds(30))
    let start = try beginChange(of: name, wait, .always, copies: false, isCancelled)
    // Read under the lock: another process may have copied another state meanwhile.
    guard start.change?.baseState == state, let copy = try sharedRow(of: name),
      state.map({ copy.state >= $0 }) ?? true
    else {
      throw StoreError(.conflict, "the feed \(name) was changed by another process meanwhile")
    }
    return try publishRecords(of: try existingFeed(named: name), start, isCancelled)
  }

  private func publishRecords(
    of feed: Feed, _ start: GenerationStart, _ isCancelled: @escaping () -> Bool
  ) throws(StoreError) -> FeedDescription {
    let row = feed.generation.row
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
