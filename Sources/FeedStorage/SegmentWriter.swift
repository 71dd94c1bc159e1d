@_spi(Ingest) import FeedRecord
import LMDB
import Synchronization

/// Packs records into the blocks of a new segment and its indexes.
///
/// Used by one thread; what it makes travels to the writer thread in batches.
struct SegmentWriter: ~Copyable {
  private let tables: StoreTables
  let identifier: UInt64
  private let index: KeyIndexBuilder
  private var fieldIndexes: FieldIndexes
  private var pipeline: WritePipeline
  private var room: StoreRoom
  private var builder: BlockBuilder
  private var batch = Batch()
  private var blockCount: UInt32 = 0
  private var byteCount = 0
  private(set) var recordCount: UInt64 = 0

  /// What one transaction stores: finished blocks, and what the index by the key holds of their
  /// records.
  private struct Batch: Sendable {
    var blocks: [(ordinal: UInt64, bytes: [UInt8])] = []
    var keyPairs: [KeyPair] = []
    var byteCount = 0

    var isEmpty: Bool { blocks.isEmpty && keyPairs.isEmpty }
  }

  /// The blocks of a batch on their way to LMDB, which keeps copies of them until the commit: each
  /// is given back to the system when it has been copied.
  private final class BlockQueue: Sendable {
    private let lastFirst: Mutex<[(ordinal: UInt64, bytes: [UInt8])]>

    init(_ blocks: [(ordinal: UInt64, bytes: [UInt8])]) {
      lastFirst = Mutex(blocks.reversed())
    }

    func next() -> (ordinal: UInt64, bytes: [UInt8])? {
      lastFirst.withLock { $0.popLast() }
    }
  }

  /// - Parameter indexPairs: pairs that all indexes together may hold in memory.
  init(_ tables: StoreTables, _ row: GenerationRow, indexPairs: Int, growthLimit: Int?) {
    self.tables = tables
    identifier = row.generation
    let capacity = indexPairs / (1 + row.indexedFields.count)
    index = KeyIndexBuilder(
      tables, KeyIndexOutput.Place(segment: row.generation, index: StoreFormat.keyIndex),
      memoryCapacity: capacity)
    fieldIndexes = FieldIndexes(tables, row, memoryCapacity: capacity)
    pipeline = WritePipeline(tables.environment)
    room = StoreRoom(tables.environment, growthLimit: growthLimit)
    builder = BlockBuilder(layout: row.layout)
  }

  private var indexes: [KeyIndexBuilder] { [index] + fieldIndexes.builders }

  /// Adds a record behind the others; now and then waits for the writer thread.
  mutating func append(
    _ record: RawSpan, isWide: Bool, keyHash: UInt64
  ) throws(StoreError) {
    guard recordCount < UInt64(UInt32.max) else { throw Self.tooMany }
    if !builder.canHold(byteCount: record.byteCount, isWide: isWide) { try seal() }
    builder.append(record, isWide: isWide)
    let ordinal = UInt32(truncatingIfNeeded: recordCount)
    batch.keyPairs.append(KeyPair(keyHash: keyHash, ordinal: ordinal))
    if !fieldIndexes.isEmpty { try fieldIndexes.add(record, isWide: isWide, ordinal: ordinal) }
    recordCount += 1
  }

  /// Adds all records of an encoder behind the others; now and then waits for the writer thread.
  mutating func append(_ records: borrowing RecordEncoder) throws(StoreError) {
    guard recordCount + UInt64(records.count) <= UInt64(UInt32.max) else { throw Self.tooMany }
    var next = 0
    while true {
      let first = next
      next = builder.append(records, from: first)
      for index in first..<next {
        let ordinal = UInt32(truncatingIfNeeded: recordCount + UInt64(index - first))
        batch.keyPairs.append(KeyPair(keyHash: records.keyHash(at: index), ordinal: ordinal))
      }
      if !fieldIndexes.isEmpty { try addToFieldIndexes(records, first..<next) }
      recordCount += UInt64(next - first)
      guard next < records.count else { return }
      try seal()
    }
  }

  private mutating func addToFieldIndexes(
    _ records: borrowing RecordEncoder, _ range: Range<Int>
  ) throws(StoreError) {
    for index in range {
      let ordinal = recordCount + UInt64(index - range.lowerBound)
      try fieldIndexes.add(
        records.bytes(at: index), isWide: records.isWide(at: index),
        ordinal: UInt32(truncatingIfNeeded: ordinal))
    }
  }

  private static var tooMany: StoreError {
    StoreError(.misuse, "one ingest can store 4 294 967 295 records")
  }

  /// Finishes blocks and index. All is committed when it returns.
  ///
  /// - Parameter checkpoint: called between transactions; may throw to give up
  mutating func finish(
    _ checkpoint: () throws(StoreError) -> Void
  ) throws(StoreError) -> Segment {
    if builder.recordCount > 0 { try seal() }
    try flush(isLast: true)
    try pipeline.drain()
    for index in indexes {
      while index.needsStep {
        try checkpoint()
        try step(index)
        try pipeline.drain()
      }
    }
    return Segment(
      identifier: identifier, recordCount: recordCount, blockCount: UInt64(blockCount),
      byteCount: UInt64(byteCount + indexes.reduce(0) { $0 + $1.byteCount }))
  }

  /// Lets nothing more be written, and waits for what is under way.
  mutating func cancel() { pipeline.cancel() }

  private mutating func seal() throws(StoreError) {
    let first = recordCount - UInt64(builder.recordCount)
    let bytes = builder.seal(
      number: blockCount, firstOrdinal: first,
      seed: tables.seed(segment: identifier, number: blockCount))
    if batch.byteCount > 0, batch.byteCount + bytes.count > StoreFormat.batchBytes { try flush() }
    batch.blocks.append((first, bytes))
    batch.byteCount += bytes.count
    byteCount += bytes.count
    blockCount += 1
    // While the writer thread has nothing to do, it need not wait for a whole batch: less is left
    // to be written in the end, and what it writes is still in a cache.
    if batch.blocks.count >= StoreFormat.eagerBatchBlocks, pipeline.isIdle { try flush() }
    guard bytes.count > StoreFormat.batchBytes else { return }
    // A huge record is in memory many times on its way; the next one is not begun beside it.
    try flush()
    try pipeline.drain()
  }

  /// Has what was gathered written, by the last call also the indexes as far as they are in memory:
  /// each transaction waits for the disk, so that the fewer there are, the sooner all is done.
  private mutating func flush(isLast: Bool = false) throws(StoreError) {
    guard !batch.isEmpty || isLast && recordCount > 0 else { return }
    try room.require(batch.byteCount)
    let (tables, indexes, segment) = (tables, indexes, identifier)
    let blocks = BlockQueue(batch.blocks)
    let pairs = [batch.keyPairs] + fieldIndexes.takePairs()
    let byteCount = batch.byteCount
    batch = Batch()
    try pipeline.submit(bytes: byteCount) { transaction throws(LMDBError) in
      while let block = blocks.next() {
        let key = StoreKey.block(segment: segment, ordinal: block.ordinal)
        try transaction.put(tables.blocks, key.span.bytes, block.bytes.span.bytes)
      }
      for (index, pairs) in zip(indexes, pairs) {
        try index.add(pairs, &transaction)
        if isLast { try index.finish(&transaction) }
      }
    }
    for index in indexes where index.needsStep { try step(index) }
  }

  private mutating func step(_ index: KeyIndexBuilder) throws(StoreError) {
    try pipeline.submit(bytes: 0) { transaction throws(LMDBError) in
      try index.step(&transaction)
    }
  }
}
