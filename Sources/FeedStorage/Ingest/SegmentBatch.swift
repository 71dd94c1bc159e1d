@_spi(Ingest) import FeedRecord
import LMDB
import Synchronization

/// The data of a segment that one transaction stores: finished blocks, and pairs of their records
/// for the indexes.
///
/// LMDB keeps copies of the blocks until the commit. Each block is therefore released once it has
/// been copied.
final class SegmentBatch: Sendable {
  private let tables: StoreTables
  private let segment: UInt64
  /// The row of the generation; only in the first batch.
  private let beginning: GenerationRow?
  private let blocks: Mutex<[Block]>
  private let pairs: [Pairs]
  /// The bytes of its blocks and pairs.
  let byteCount: Int

  /// Pairs for one index.
  typealias Pairs = (index: KeyIndexBuilder, pairs: ArraySlice<KeyPair>)

  struct Block: Sendable {
    let firstOrdinal: UInt64
    let sealed: SealedBlock
  }

  init(
    _ tables: StoreTables, segment: UInt64, beginning: GenerationRow?, blocks: [Block],
    pairs: [Pairs]
  ) {
    self.tables = tables
    self.segment = segment
    self.beginning = beginning
    self.blocks = Mutex(blocks.reversed())
    self.pairs = pairs
    byteCount =
      blocks.reduce(0) { $0 + $1.sealed.byteCount }
      + pairs.reduce(0) { $0 + $1.pairs.count * MemoryLayout<KeyPair>.stride }
  }

  /// Divides pairs into groups of at most `bound` pairs, in the same order; there is at least one
  /// group.
  static func divide(_ pairs: some Sequence<Pairs>, each bound: Int) -> [[Pairs]] {
    var groups: [[Pairs]] = []
    var group: [Pairs] = []
    var remaining = bound
    for (index, pairs) in pairs {
      var rest = pairs
      while !rest.isEmpty {
        if remaining == 0 {
          groups.append(group)
          (group, remaining) = ([], bound)
        }
        let taken = rest.prefix(remaining)
        group.append((index, taken))
        remaining -= taken.count
        rest = rest.dropFirst(taken.count)
      }
    }
    return groups + [group]
  }

  /// Stores the batch. Call it only once.
  func write(_ transaction: inout WriteTransaction) throws(LMDBError) {
    if let beginning { try tables.begin(beginning, &transaction) }
    while let block = blocks.withLock({ blocks in blocks.popLast() }) {
      let key = StoreKey.block(segment: segment, ordinal: block.firstOrdinal)
      try block.sealed.withBytes { bytes throws(LMDBError) in
        try transaction.put(tables.blocks, key.span.bytes, bytes)
      }
    }
    for (index, pairs) in pairs { try index.add(pairs, &transaction) }
  }
}
