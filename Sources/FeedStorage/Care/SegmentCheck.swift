import FeedRecord
import LMDB

/// What the blocks of one segment and its index add up to, while they go by in the order of their
/// keys.
struct SegmentCheck {
  let segment: Segment
  private let row: GenerationRow
  private let key: KeyField
  private var blockCount: UInt64 = 0
  private var recordCount: UInt64 = 0
  private var byteCount: UInt64 = 0
  private var recordPairs = PairTally()
  private var indexPairs = PairTally()
  /// What the next block of the index has to begin with; nil where the last one was the last.
  private var nextHash: UInt64?
  private var lastHash: UInt64?
  private var indexBlockCount: UInt32 = 0

  init(_ row: GenerationRow, _ segment: Segment) {
    self.row = row
    self.segment = segment
    key = KeyField(row.keyField, of: row.layout)
  }

  private var damaged: StoreError {
    StoreError(.damaged, "it contradicts the key it is stored under")
  }

  /// Takes the next block of records, whose checksum has been proved.
  mutating func take(_ block: BlockView, at ordinal: UInt64, byteCount: Int) throws {
    guard block.firstOrdinal == ordinal, block.matches(row.layout), block.recordCount > 0 else {
      throw damaged
    }
    // What is being built or removed is not whole.
    if row.state == .published, block.number != blockCount || ordinal != recordCount {
      throw StoreError(.damaged, "blocks are missing before it")
    }
    for index in 0..<block.recordCount {
      let hash = try key.hash(try block.record(at: index))
      recordPairs.add(hash: hash, ordinal: ordinal + UInt64(index))
    }
    blockCount += 1
    recordCount += UInt64(block.recordCount)
    self.byteCount += UInt64(byteCount)
  }

  /// Takes the next block of the index, or of a run, whose checksum has been proved.
  mutating func take(_ block: IndexBlockView, key: RawSpan, byteCount: Int) throws {
    guard row.state == .published else { return }
    guard key.byteCount == 21, key.bigEndian(at: 8, as: UInt8.self) == StoreFormat.keyIndex else {
      throw StoreError(.damaged, "it is left over from an index that is finished")
    }
    guard block.count > 0, key.bigEndian(at: 17, as: UInt32.self) == block.number,
      try key.bigEndian(at: 9, as: UInt64.self) == block.hash(at: 0)
    else { throw damaged }
    guard block.number == indexBlockCount, block.lower == lastHash,
      try nextHash == nil || nextHash == block.hash(at: 0)
    else { throw StoreError(.damaged, "it does not go on where the block before it ends") }
    var last = block.lower ?? 0
    for index in 0..<block.count {
      let hash = try block.hash(at: index)
      guard hash >= last else { throw StoreError(.damaged, "its entries are not in order") }
      last = hash
      indexPairs.add(hash: hash, ordinal: UInt64(try block.ordinal(at: index)))
    }
    (lastHash, nextHash) = (last, block.upper)
    indexBlockCount += 1
    self.byteCount += UInt64(byteCount)
  }

  /// What is wrong with the sums once all blocks have gone by.
  var contradictions: [String] {
    guard row.state == .published else { return [] }
    var findings: [String] = []
    let name = "\(row.name), segment \(segment.identifier)"
    if blockCount != segment.blockCount || recordCount != segment.recordCount
      || byteCount != segment.byteCount
    {
      findings.append(
        "\(name): \(recordCount) records in \(blockCount) blocks of \(byteCount) bytes, where"
          + " \(segment.recordCount) in \(segment.blockCount) of \(segment.byteCount) are told")
    }
    if recordPairs != indexPairs || nextHash != nil {
      findings.append("\(name): the index does not list exactly the keys of the records")
    }
    return findings
  }
}
