@_spi(Ingest) import FeedRecord
import LMDB

/// Compares the pairs that an index should hold, computed from the records, with the pairs in its
/// blocks. Both are visited in key order.
struct IndexCheck {
  private let number: UInt8
  private let field: KeyField
  private var recordPairs = PairTally()
  private var indexPairs = PairTally()
  /// The expected first hash of the next block; nil if there is no next block.
  private var nextHash: UInt32?
  private var lastHash: UInt32?
  private var blockCount: UInt32 = 0

  init(_ number: UInt8, of field: UInt16, _ layout: RecordLayout) {
    self.number = number
    self.field = KeyField(field, of: layout)
  }

  private var isKeyIndex: Bool { number == StoreFormat.keyIndex }

  /// Adds the next record.
  mutating func take(_ record: RecordView, at ordinal: UInt64) throws(RecordError) {
    if isKeyIndex {
      // A record without its key is indexed by the empty key.
      let hash = try field.hash(record)
      return recordPairs.add(
        KeyPair(keyHash: hash, ordinal: UInt32(truncatingIfNeeded: ordinal)))
    }
    try field.forEachPair(record, ordinal: UInt32(truncatingIfNeeded: ordinal)) {
      recordPairs.add($0)
    }
  }

  /// Adds the next block of the index, whose checksum has been verified.
  mutating func take(_ block: IndexBlockView, key: RawSpan) throws {
    let first: UInt32 = block.count > 0 ? try block.hash(at: 0) : 0
    let isWhole = block.lower == nil && block.upper == nil
    guard block.count > 0 || isWhole, key.bigEndian(at: 17, as: UInt32.self) == block.number,
      key.bigEndian(at: 9, as: UInt64.self) == block.storedHash
    else { throw StoreError(.damaged, "it contradicts the key it is stored under") }
    guard block.number == blockCount, block.lower == lastHash,
      nextHash == nil || nextHash == first
    else { throw StoreError(.damaged, "it does not go on where the block before it ends") }
    var last = block.lower ?? 0
    for index in 0..<block.count {
      let hash = try block.hash(at: index)
      guard hash >= last else { throw StoreError(.damaged, "its entries are not in order") }
      last = hash
      indexPairs.add(KeyPair(hash: hash, ordinal: try block.ordinal(at: index)))
    }
    (lastHash, nextHash) = (last, block.upper)
    blockCount += 1
  }

  /// Whether the blocks contain exactly the pairs of the records.
  var isConsistent: Bool { recordPairs == indexPairs && nextHash == nil }
}
