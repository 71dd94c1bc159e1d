@_spi(Ingest) package import FeedRecord
import LMDB

extension FeedDatabase {
  /// Calls `body` with records of feeds in steps that follow the hashes of their keys, not the
  /// documents. The walk may be slow: a record that is in its feed all the time is visited,
  /// whatever is published meanwhile.
  ///
  /// If more than a thousand records of a segment share a key, the first thousand are visited. Each
  /// step uses one snapshot.
  ///
  /// - Parameters:
  ///   - feeds: feeds of this database
  ///   - hash: the end of the previous step, or 0
  ///   - limit: the approximate number of records per step and segment
  ///   - body: receives a record and its feed
  /// - Returns: the start of the next step; nil at the end
  package func forEachRecord(
    of feeds: [Feed], fromKeyHash hash: UInt32, limit: Int,
    _ body: (RecordView, Feed) throws(StoreError) -> Void
  ) throws(StoreError) -> UInt32? {
    try tables.environment.read { transaction throws(StoreError) in
      var parts: [HashOrderPart] = []
      for feed in feeds {
        for reader in feed.generation.readers {
          let lookup = KeyLookup(reader, isOfSnapshot: true)
          let walk = try lookup.pairs(
            from: hash, limit: max(limit, 1), transaction)
          parts.append(HashOrderPart(lookup: lookup, feed: feed, walk: walk))
        }
      }
      // Pairs beyond the nearest end of a part belong to the next step.
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
  let feed: Feed
  let walk: KeyLookup.Walk
}
