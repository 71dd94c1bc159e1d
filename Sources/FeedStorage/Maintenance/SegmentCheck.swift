import FeedRecord
import LMDB

/// Sums over the blocks of one segment and of its indexes, visited in key order.
struct SegmentCheck {
  let segment: Segment
  private let row: GenerationRow
  /// By number: the index of the key, then those of the other indexed fields.
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

  /// Adds the next block of records, whose checksum has been verified.
  mutating func take(_ block: BlockView, at ordinal: UInt64, byteCount: Int) throws {
    guard block.firstOrdinal == ordinal, block.matches(row.layout), block.recordCount > 0 else {
      throw damaged
    }
    // A generation that is being built or removed is incomplete.
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

  /// Adds the next block of an index or a run, whose checksum has been verified.
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

  /// The inconsistencies in the sums after all blocks were visited.
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
