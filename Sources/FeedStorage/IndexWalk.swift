@_spi(Ingest) import FeedRecord
import LMDB

/// Pairs of an index in the order of their hashes.
struct IndexWalk {
  var pairs: [KeyPair] = []
  /// The first hash of which no pair was taken; nil at the end of the index.
  var nextHash: UInt32?

  /// Pairs of one hash that a walk takes before it goes on with the next one.
  fileprivate static var longestRun: Int { 1_000 }
}

extension SegmentReader {
  /// About so many pairs of the index of keys from a hash on; all of a hash, or none.
  func pairs(
    from hash: UInt32, limit: Int, _ transaction: borrowing ReadTransaction
  ) throws(StoreError) -> IndexWalk {
    var walk = IndexWalk()
    if segment.recordCount == 0 { return walk }
    do {
      var cursor = try transaction.cursor(tables.index)
      try seek(&cursor, index: StoreFormat.keyIndex, hash)
      var next: UInt32?
      var run = 0
      while true {
        let view = try indexBlock(cursor, of: StoreFormat.keyIndex)
        if let next, view.number != next { throw missing }
        var position = view.firstIndex(ofHashAtLeast: hash)
        while position < view.count {
          let pair = KeyPair(
            hash: try view.hash(at: position), ordinal: try view.ordinal(at: position))
          run = pair.hash == walk.pairs.last?.hash ? run + 1 : 1
          if run == 1, walk.pairs.count >= limit {
            walk.nextHash = pair.hash
            return walk
          }
          if run > IndexWalk.longestRun {
            walk.nextHash = pair.hash == .max ? nil : pair.hash + 1
            return walk
          }
          walk.pairs.append(pair)
          position += 1
        }
        guard view.upper != nil else { return walk }
        next = view.number &+ 1
        guard try cursor.next() else { throw missing }
      }
    } catch {
      throw StoreError(wrapping: error, path: tables.environment.path)
    }
  }
}
