import FeedRecord
import LMDB

/// What the blocks of one segment and its indexes add up to, while they go by in the order of their
/// keys.
struct SegmentCheck {
  let segment: Segment
  private let row: GenerationRow
  /// By their numbers: that of the key, then those of the other indexed fields.
  private var indexes: [IndexCheck]
  private var blockCount: UInt64 = 0
  private var recordCount: UInt64 = 0
  private var byteCount: UInt64 = 0

  init(_ row: GenerationRow, _ segment: Segment) {
    self.row = row
    self.segment = segment
    indexes = ([row.keyField] + row.indexedFields).enumerated().map { number, field in
      IndexCheck(UInt8(clamping: number), of: field, row.layout)
    }
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
      for number in indexes.indices {
        try indexes[number].take(try block.record(at: index), at: ordinal + UInt64(index))
      }
    }
    blockCount += 1
    recordCount += UInt64(block.recordCount)
    self.byteCount += UInt64(byteCount)
  }

  /// Takes the next block of an index, or of a run, whose checksum has been proved.
  mutating func take(_ block: IndexBlockView, key: RawSpan, byteCount: Int) throws {
    guard row.state == .published else { return }
    guard key.byteCount == 21, let number = key.bigEndian(at: 8, as: UInt8.self),
      Int(number) < indexes.count
    else {
      throw StoreError(.damaged, "it is left over from an index that is finished")
    }
    try indexes[Int(number)].take(block, key: key)
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
    for (number, index) in indexes.enumerated() where !index.isConsistent {
      let field = number == 0 ? "the key" : "the field \(row.indexedFields[number - 1])"
      findings.append("\(name): the index by \(field) does not list exactly those of the records")
    }
    return findings
  }
}
