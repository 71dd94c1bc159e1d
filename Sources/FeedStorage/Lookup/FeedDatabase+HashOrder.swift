@_spi(Ingest) package import FeedRecord
import LMDB

extension FeedDatabase {
  /// Calls `body` with records of feeds in steps, in the order of the hashes of their keys and not
  /// in document order. The walk may be slow: a record that stays in its feed during the walk is
  /// visited, whatever is published meanwhile.
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
      let step = try HashOrderStep(of: feeds, from: hash, limit: limit, transaction)
      for part in step.parts {
        for pair in part.pairs {
          try part.lookup.visit(UInt64(pair.ordinal), transaction) {
            record throws(StoreError) in try body(record, part.feed)
          }
        }
      }
      return step.end
    }
  }

  /// Counts the distinct keys of a feed in steps. The sum is the number of different keys that
  /// ``forEachRecord(of:fromKeyHash:limit:_:)`` visits.
  ///
  /// Only records whose keys have equal hashes are read.
  ///
  /// - Parameters:
  ///   - feed: a feed of this database
  ///   - hash: the end of the previous step, or 0
  ///   - limit: the approximate number of records per step and segment
  ///   - key: the key of a record
  /// - Returns: the number of keys of this step, and the start of the next one; nil at the end
  package func countKeys(
    of feed: Feed, fromKeyHash hash: UInt32, limit: Int,
    _ key: (RecordView) throws(StoreError) -> String
  ) throws(StoreError) -> (count: Int, next: UInt32?) {
    try tables.environment.read { transaction throws(StoreError) in
      let step = try HashOrderStep(of: [feed], from: hash, limit: limit, transaction)
      var found: [(pair: KeyPair, part: Int)] = []
      for (index, part) in step.parts.enumerated() {
        for pair in part.pairs { found.append((pair, index)) }
      }
      // The pairs of a part are already sorted.
      if step.parts.count > 1 { found.sort { $0.pair.hash < $1.pair.hash } }
      var count = 0
      var start = 0
      while start < found.count {
        let hash = found[start].pair.hash
        var end = start + 1
        while end < found.count, found[end].pair.hash == hash { end += 1 }
        if end == start + 1 {
          count += 1
        } else {
          var keys: Set<String> = []
          for (pair, part) in found[start..<end] {
            try step.parts[part].lookup.visit(UInt64(pair.ordinal), transaction) {
              record throws(StoreError) in keys.insert(try key(record))
            }
          }
          count += keys.count
        }
        start = end
      }
      return (count, step.end)
    }
  }
}

/// The records of one step in the order of the hashes of their keys.
private struct HashOrderStep {
  let parts: [HashOrderPart]
  /// The start of the next step; nil at the end.
  let end: UInt32?

  init(
    of feeds: [Feed], from hash: UInt32, limit: Int, _ transaction: borrowing ReadTransaction
  ) throws(StoreError) {
    var parts: [HashOrderPart] = []
    for feed in feeds {
      for reader in feed.generation.readers {
        let lookup = SegmentLookup(reader, isOfSnapshot: true)
        let walk = try lookup.pairs(from: hash, limit: max(limit, 1), transaction)
        parts.append(HashOrderPart(lookup: lookup, feed: feed, walk: walk))
      }
    }
    // Pairs beyond the nearest end of a part belong to the next step.
    end = parts.compactMap(\.walk.nextHash).min()
    if let end {
      for index in parts.indices { parts[index].walk.pairs.removeAll { $0.hash >= end } }
    }
    self.parts = parts
  }
}

/// One segment's part of a step.
private struct HashOrderPart {
  let lookup: SegmentLookup
  let feed: Feed
  var walk: SegmentLookup.Walk

  var pairs: [KeyPair] { walk.pairs }
}

extension SegmentLookup {
  /// Pairs of an index in the order of their hashes.
  struct Walk {
    var pairs: [KeyPair] = []
    /// The first hash without a pair in this walk; nil at the end of the index.
    var nextHash: UInt32?
  }

  /// The maximum number of pairs of one hash in a walk.
  private static var maximumRun: Int { 1_000 }

  /// Returns about `limit` pairs from a hash on: all of a hash, up to a maximum, or none.
  func pairs(
    from hash: UInt32, limit: Int, _ transaction: borrowing ReadTransaction
  ) throws(StoreError) -> Walk {
    var walk = Walk()
    if reader.segment.recordCount == 0 { return walk }
    do {
      var cursor = try transaction.cursor(reader.tables.index)
      try seek(&cursor, hash)
      var next: UInt32?
      var run = 0
      while true {
        let view = try indexBlock(cursor)
        if let next, view.number != next { throw reader.missing }
        var position = view.firstIndex(ofHashAtLeast: hash)
        while position < view.count {
          let pair = KeyPair(
            hash: try view.hash(at: position), ordinal: try view.ordinal(at: position))
          run = pair.hash == walk.pairs.last?.hash ? run + 1 : 1
          if run == 1, walk.pairs.count >= limit {
            walk.nextHash = pair.hash
            return walk
          }
          if run > Self.maximumRun {
            walk.nextHash = pair.hash == .max ? nil : pair.hash + 1
            return walk
          }
          walk.pairs.append(pair)
          position += 1
        }
        guard view.upper != nil else { return walk }
        next = view.number &+ 1
        guard try cursor.next() else { throw reader.missing }
      }
    } catch {
      throw StoreError(wrapping: error, path: reader.tables.environment.path)
    }
  }

  /// Reads one record.
  func visit(
    _ ordinal: UInt64, _ transaction: borrowing ReadTransaction,
    _ body: (RecordView) throws(StoreError) -> Void
  ) throws(StoreError) {
    do {
      _ = try visit(ordinal, transaction) { _, record, _ throws(StoreError) in
        try body(record)
        return true
      }
    } catch {
      throw StoreError(wrapping: error, path: reader.tables.environment.path)
    }
  }
}
