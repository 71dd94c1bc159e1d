@_spi(Ingest) package import FeedRecord
import LMDB

extension FeedDatabase {
  /// Calls `body` with records of feeds in steps that follow the hashes of their keys, and not the
  /// documents: a walk that may take its time, because a record that is in its feed during all of
  /// it is among them, whatever was published meanwhile.
  ///
  /// Of keys that more than a thousand records of a segment share the first thousand are given.
  /// One snapshot a step.
  ///
  /// - Parameters:
  ///   - names: the feeds; those that there are none of are passed over
  ///   - hash: where the step before ended, or 0
  ///   - limit: about how many records a step gives of each segment
  ///   - body: given a record and the number of its feed among the names
  /// - Returns: where to go on; nil at the end
  package func forEachRecord(
    of names: [FeedName], fromKeyHash hash: UInt32, limit: Int,
    _ body: (RecordView, FeedDescription) throws(StoreError) -> Void
  ) throws(StoreError) -> UInt32? {
    try tables.environment.read { transaction throws(StoreError) in
      var parts: [HashOrderPart] = []
      for name in names {
        guard let generation = try generation(of: name, transaction) else { continue }
        for index in generation.row.segments.indices {
          let lookup = KeyLookup(generation.readers[index], isOfSnapshot: true)
          let walk = try lookup.pairs(
            from: hash, limit: max(limit, 1), transaction)
          parts.append(HashOrderPart(lookup: lookup, feed: generation.description, walk: walk))
        }
      }
      // What lies above the nearest end of a part is for the next step.
      let end = parts.compactMap(\.walk.nextHash).min()
      for part in parts {
        for pair in part.walk.pairs {
          if let end, pair.hash >= end { break }
          try part.lookup.visit(UInt64(pair.ordinal), transaction) {
            record throws(StoreError) in try body(record, part.feed)
          }
        }
      }
      return end
    }
  }
}

/// One segment's part of a step.
private struct HashOrderPart {
  let lookup: KeyLookup
  let feed: FeedDescription
  let walk: KeyLookup.Walk
}
