@_spi(Ingest) import FeedRecord
import LMDB

extension KeyLookup {
  /// Pairs of an index in the order of their hashes.
  struct Walk {
    var pairs: [KeyPair] = []
    /// The first hash without a pair in this walk; nil at the end of the index.
    var nextHash: UInt32?
  }

  /// The maximum number of pairs of one hash in a walk.
  private static var longestRun: Int { 1_000 }

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
          if run > Self.longestRun {
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
