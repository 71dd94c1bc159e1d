@_spi(Ingest) import FeedRecord
import LMDB

// The records of the segment by the hash of a key, in one snapshot.
//
// `isOfSnapshot` says whether the segment's generation was found in the snapshot that is read, so
// that its blocks are where they were met before.
extension SegmentReader {
  /// Calls `body` with every record whose key may have this hash, in document
  /// order, and its ordinal in the segment, until it returns false.
  ///
  /// An index holds half of a hash: of a million keys a hundred or so share theirs with another,
  /// so whoever asks compares the keys themselves.
  ///
  /// - Parameters:
  ///   - keyHash: `KeyHash` of the key's bytes
  ///   - index: the number of the index to look in
  /// - Returns: false where `body` stopped it
  /// - Throws: `damaged`, also where a miss cannot be proved
  func forEachRecord(
    keyHash: UInt64, index number: UInt8 = StoreFormat.keyIndex, isOfSnapshot: Bool = false,
    _ transaction: borrowing ReadTransaction,
    _ body: (BlockView, RecordView, UInt64) throws(StoreError) -> Bool
  ) throws(StoreError) -> Bool {
    if segment.recordCount == 0 { return true }
    let hash = KeyPair(keyHash: keyHash, ordinal: 0).hash
    do {
      if isOfSnapshot,
        let view = places.indexBlock(of: number, covering: hash, transaction)
      {
        return try visitPairs(of: view, keyHash, isOfSnapshot, transaction, body) != nil
      }
      var cursor = try transaction.cursor(tables.index)
      try seek(&cursor, index: number, hash)
      var next: UInt32?
      while true {
        let view = try indexBlock(cursor, of: number)
        if isOfSnapshot {
          places.learn(view.number, of: number, covering: hash, cursor.value, transaction)
        }
        if let next {
          guard view.number == next else { throw missing }
        } else if let lower = view.lower, lower >= hash {
          // The block before must end below the hash, or pairs of it could be there.
          throw missing
        }
        guard let position = try visitPairs(of: view, keyHash, isOfSnapshot, transaction, body)
        else { return false }
        guard position == view.count, let upper = view.upper else { return true }
        // A hash below the next block's first one is proved to be in no block.
        if upper > hash { return true }
        next = view.number &+ 1
        guard upper == hash, try cursor.next() else { throw missing }
      }
    } catch {
      throw StoreError(wrapping: error, path: tables.environment.path)
    }
  }

  /// Calls `body` with the record of an ordinal that `forEachRecord` has told.
  ///
  /// - Throws: `damaged`
  func visitRecord(
    at ordinal: UInt64, isOfSnapshot: Bool = false, _ transaction: borrowing ReadTransaction,
    _ body: (BlockView, RecordView) throws(StoreError) -> Void
  ) throws(StoreError) {
    do {
      _ = try visit(ordinal, isOfSnapshot, transaction) { block, record, _ throws(StoreError) in
        try body(block, record)
        return true
      }
    } catch {
      throw StoreError(wrapping: error, path: tables.environment.path)
    }
  }

  /// Visits the records of the pairs that a block has of a hash; returns the index of the first pair
  /// behind them, or nil where `body` stopped it.
  private func visitPairs(
    of view: IndexBlockView, _ keyHash: UInt64, _ isOfSnapshot: Bool,
    _ transaction: borrowing ReadTransaction,
    _ body: (BlockView, RecordView, UInt64) throws(StoreError) -> Bool
  ) throws -> Int? {
    let hash = KeyPair(keyHash: keyHash, ordinal: 0).hash
    var position = view.firstIndex(ofHashAtLeast: hash)
    while position < view.count, try view.hash(at: position) == hash {
      let ordinal = UInt64(try view.ordinal(at: position))
      if try view.canBe(keyHash: keyHash, at: position) {
        guard try visit(ordinal, isOfSnapshot, transaction, body) else { return nil }
      }
      position += 1
    }
    return position
  }

  /// Moves to the last block of an index that begins below the hash, or to its first block.
  @_lifetime(cursor: copy cursor)
  func seek(_ cursor: inout Cursor, index number: UInt8, _ hash: UInt32) throws {
    let key = StoreKey.index(segment: segment.identifier, index: number, hash: hash, number: 0)
    if try cursor.seek(atOrBefore: key.span.bytes), isOf(index: number, cursor.key) { return }
    let first = StoreKey.index(segment: segment.identifier, index: number, hash: 0, number: 0)
    guard try cursor.seek(atOrAfter: first.span.bytes) else { throw missing }
  }

  private func isOf(index number: UInt8, _ key: RawSpan) -> Bool {
    key.byteCount == 21 && key.bigEndian(at: 0, as: UInt64.self) == segment.identifier
      && key.bigEndian(at: 8, as: UInt8.self) == number
  }

  @_lifetime(copy cursor)
  func indexBlock(_ cursor: borrowing Cursor, of number: UInt8) throws -> IndexBlockView {
    guard isOf(index: number, cursor.key), let block = cursor.key.bigEndian(at: 17, as: UInt32.self)
    else { throw missing }
    let view = try IndexBlockView(cursor.value)
    if checks.isVerified(view, of: number), view.number == block { return view }
    try view.verify(
      seed: tables.seed(segment: segment.identifier, index: number, number: block))
    let isWhole = view.number == 0 && view.upper == nil
    guard view.number == block, view.count > 0 || isWhole else { throw missing }
    checks.verified(view, of: number)
    return view
  }

  private func visit(
    _ ordinal: UInt64, _ isOfSnapshot: Bool, _ transaction: borrowing ReadTransaction,
    _ body: (BlockView, RecordView, UInt64) throws(StoreError) -> Bool
  ) throws -> Bool {
    if isOfSnapshot, let block = places.block(holding: ordinal, transaction) {
      return try visit(ordinal, of: block, body)
    }
    var cursor = try transaction.cursor(tables.blocks)
    try seek(&cursor, to: ordinal)
    let block = try block(cursor)
    if isOfSnapshot {
      places.learn(block.number, holding: ordinal, cursor.value, transaction)
    }
    return try visit(ordinal, of: block, body)
  }

  private func visit(
    _ ordinal: UInt64, of block: BlockView,
    _ body: (BlockView, RecordView, UInt64) throws(StoreError) -> Bool
  ) throws -> Bool {
    // Below zero or past the block for an ordinal that no block holds: a typed error.
    let offset = Int(clamping: ordinal) - Int(clamping: block.firstOrdinal)
    return try body(block, try block.record(at: offset), ordinal)
  }
}
