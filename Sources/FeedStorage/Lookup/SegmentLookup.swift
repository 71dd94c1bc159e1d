@_spi(Ingest) import FeedRecord
import LMDB

/// Finds the records of one segment by the hash of a key, in one snapshot.
struct SegmentLookup {
  let reader: SegmentReader
  /// The number of the index to search.
  let number: UInt8
  private let isOfSnapshot: Bool

  /// - Parameter isOfSnapshot: whether the segment's generation was found in the snapshot that is
  ///   read, so that cached locations of its blocks are valid
  init(
    _ reader: SegmentReader, index: UInt8 = StoreFormat.keyIndex, isOfSnapshot: Bool = false
  ) {
    self.reader = reader
    number = index
    self.isOfSnapshot = isOfSnapshot
  }

  /// Calls `body` with every record whose key may have this hash, in document order, and its
  /// ordinal in the segment, until it returns false.
  ///
  /// An index stores half of a hash. Of a million keys about a hundred share it with another key,
  /// so the caller compares the keys themselves.
  ///
  /// - Parameter keyHash: `KeyHash` of the key's bytes
  /// - Returns: false if `body` stopped it
  /// - Throws: `damaged`, also if a miss cannot be verified
  func forEach(
    keyHash: UInt64, _ transaction: borrowing ReadTransaction,
    _ body: (BlockView, RecordView, UInt64) throws(StoreError) -> Bool
  ) throws(StoreError) -> Bool {
    if reader.segment.recordCount == 0 { return true }
    let hash = KeyPair(keyHash: keyHash, ordinal: 0).hash
    do {
      if isOfSnapshot,
        let view = reader.locations.indexBlock(of: number, covering: hash, transaction)
      {
        return try visitPairs(of: view, keyHash, transaction, body) != nil
      }
      var index = try transaction.cursor(reader.tables.index)
      try seek(&index, hash)
      var next: UInt32?
      while true {
        let view = try indexBlock(index)
        if isOfSnapshot {
          reader.locations.insert(view.number, of: number, covering: hash, index.value, transaction)
        }
        if let next {
          guard view.number == next else { throw reader.missing }
        } else if let lower = view.lower, lower >= hash {
          // The previous block must end below the hash, or it could contain pairs of the hash.
          throw reader.missing
        }
        guard let position = try visitPairs(of: view, keyHash, transaction, body) else {
          return false
        }
        guard position == view.count, let upper = view.upper else { return true }
        // A hash below the first one of the next block is in no block.
        if upper > hash { return true }
        next = view.number &+ 1
        guard upper == hash, try index.next() else { throw reader.missing }
      }
    } catch {
      throw StoreError(wrapping: error, path: reader.tables.environment.path)
    }
  }

  /// Calls `body` with the record of an ordinal from `forEach`.
  ///
  /// - Throws: `damaged`
  func visitRecord(
    at ordinal: UInt64, _ transaction: borrowing ReadTransaction,
    _ body: (BlockView, RecordView) throws(StoreError) -> Void
  ) throws(StoreError) {
    do {
      _ = try visit(ordinal, transaction) { block, record, _ throws(StoreError) in
        try body(block, record)
        return true
      }
    } catch {
      throw StoreError(wrapping: error, path: reader.tables.environment.path)
    }
  }

  /// Visits the records of a block's pairs with a hash. Returns the index of the first pair after
  /// them, or nil if `body` stopped it.
  private func visitPairs(
    of view: IndexBlockView, _ keyHash: UInt64, _ transaction: borrowing ReadTransaction,
    _ body: (BlockView, RecordView, UInt64) throws(StoreError) -> Bool
  ) throws -> Int? {
    let hash = KeyPair(keyHash: keyHash, ordinal: 0).hash
    var position = view.firstIndex(ofHashAtLeast: hash)
    while position < view.count, try view.hash(at: position) == hash {
      let ordinal = UInt64(try view.ordinal(at: position))
      if try view.canBe(keyHash: keyHash, at: position) {
        guard try visit(ordinal, transaction, body) else { return nil }
      }
      position += 1
    }
    return position
  }

  /// Moves to the last block that begins below the hash, or to the first block of the index.
  @_lifetime(cursor: copy cursor)
  func seek(_ cursor: inout Cursor, _ hash: UInt32) throws {
    let segment = reader.segment.identifier
    let key = StoreKey.index(
      segment: segment, index: number, hash: hash, number: 0)
    if try cursor.seek(atOrBefore: key.span.bytes), isInIndex(cursor.key) { return }
    let first = StoreKey.index(segment: segment, index: number, hash: 0, number: 0)
    guard try cursor.seek(atOrAfter: first.span.bytes) else { throw reader.missing }
  }

  private func isInIndex(_ key: RawSpan) -> Bool {
    key.byteCount == 21 && key.bigEndian(at: 0, as: UInt64.self) == reader.segment.identifier
      && key.bigEndian(at: 8, as: UInt8.self) == number
  }

  @_lifetime(copy cursor)
  func indexBlock(_ cursor: borrowing Cursor) throws -> IndexBlockView {
    guard isInIndex(cursor.key), let block = cursor.key.bigEndian(at: 17, as: UInt32.self) else {
      throw reader.missing
    }
    let view = try IndexBlockView(cursor.value)
    if reader.verifiedBlocks.contains(view, of: number), view.number == block { return view }
    let identifier = reader.segment.identifier
    try view.verify(
      seed: reader.tables.seed(segment: identifier, index: number, number: block))
    let isWhole = view.number == 0 && view.upper == nil
    guard view.number == block, view.count > 0 || isWhole else { throw reader.missing }
    reader.verifiedBlocks.insert(view, of: number)
    return view
  }

  func visit(
    _ ordinal: UInt64, _ transaction: borrowing ReadTransaction,
    _ body: (BlockView, RecordView, UInt64) throws(StoreError) -> Bool
  ) throws -> Bool {
    if isOfSnapshot,
      let block = reader.locations.block(holding: ordinal, transaction)
    {
      return try visit(ordinal, of: block, body)
    }
    var cursor = try transaction.cursor(reader.tables.blocks)
    try reader.seek(&cursor, to: ordinal)
    let block = try reader.block(cursor)
    if isOfSnapshot {
      reader.locations.insert(block.number, holding: ordinal, cursor.value, transaction)
    }
    return try visit(ordinal, of: block, body)
  }

  private func visit(
    _ ordinal: UInt64, of block: BlockView,
    _ body: (BlockView, RecordView, UInt64) throws(StoreError) -> Bool
  ) throws -> Bool {
    // Negative or beyond the block if no block holds the ordinal: that is a typed error.
    let offset = Int(clamping: ordinal) - Int(clamping: block.firstOrdinal)
    return try body(block, try block.record(at: offset), ordinal)
  }
}

extension SegmentLookup {
  /// The maximum number of lookups that are prefetched together.
  static var maximumPrefetched: Int { 16 }

  /// Prefetches what lookups of several hashes will read. Each step is done for all hashes before
  /// the next, because the address of each step depends on the data of the previous one.
  ///
  /// Only cached locations are prefetched; nothing is verified or returned.
  func prefetch(_ hashes: Span<UInt64>, _ transaction: borrowing ReadTransaction) {
    let locations = reader.locations
    let count = min(hashes.count, Self.maximumPrefetched)
    var ordinals = InlineArray<16, UInt64?>(repeating: nil)
    for index in 0..<count {
      locations.prefetchIndexBlock(of: number, covering: indexHash(of: hashes[index]), transaction)
    }
    for index in 0..<count {
      let hash = indexHash(of: hashes[index])
      locations.indexBlock(of: number, covering: hash, transaction)?.prefetch(around: hash)
    }
    for index in 0..<count {
      guard let ordinal = ordinal(indexHash(of: hashes[index]), transaction) else { continue }
      ordinals[index] = ordinal
      locations.prefetchBlock(holding: ordinal, transaction)
    }
    for index in 0..<count {
      guard let ordinal = ordinals[index] else { continue }
      if let block = locations.block(holding: ordinal, transaction) {
        block.prefetchStart(of: Int(clamping: ordinal &- block.firstOrdinal))
      }
    }
    for index in 0..<count {
      guard let ordinal = ordinals[index] else { continue }
      if let block = locations.block(holding: ordinal, transaction) {
        block.prefetchRecord(at: Int(clamping: ordinal &- block.firstOrdinal))
      }
    }
  }

  private func indexHash(of keyHash: UInt64) -> UInt32 {
    KeyPair(keyHash: keyHash, ordinal: 0).hash
  }

  /// The first record whose key may have a hash.
  private func ordinal(_ hash: UInt32, _ transaction: borrowing ReadTransaction) -> UInt64? {
    guard let block = reader.locations.indexBlock(of: number, covering: hash, transaction) else {
      return nil
    }
    let position = block.firstIndex(ofHashAtLeast: hash)
    guard (try? block.hash(at: position)) == hash else { return nil }
    return (try? block.ordinal(at: position)).map { UInt64($0) }
  }
}
