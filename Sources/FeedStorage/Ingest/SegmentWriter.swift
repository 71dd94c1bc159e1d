@_spi(Ingest) import FeedRecord
import LMDB

/// Packs records into the blocks of a new segment and its indexes.
///
/// Use it from one thread; it passes its data to the writer thread in batches.
struct SegmentWriter: ~Copyable {
  private let tables: StoreTables
  let identifier: UInt64
  private let index: KeyIndexBuilder
  private var fieldIndexes: FieldIndexes
  private var pipeline: WritePipeline
  private var space: StoreSpace
  /// The number of pairs in one transaction.
  private let batchPairs: Int
  private var builder: BlockBuilder
  /// Whether records may have no key. The hash of its key is then 0.
  private let hasOptionalKeys: Bool
  // The contents of the next batch.
  private var beginning: GenerationRow?
  private var blocks: [SegmentBatch.Block] = []
  private var blockBytes = 0
  /// The minimum size of a batch in bytes; it grows while the writer thread is slower.
  private var worthwhileBytes = StoreFormat.minimumBatchBytes.lowerBound
  private var keyPairs: [KeyPair] = []
  /// Whether a huge record has been submitted and may not be written yet.
  private var isHugeUnderWay = false
  private var blockCount: UInt32 = 0
  private var byteCount = 0
  private(set) var recordCount: UInt64 = 0

  /// - Parameters:
  ///   - row: the row of the generation, stored with the first blocks.
  ///   - lineage: the lineage of the file in which the generation begins.
  ///   - indexPairs: the number of pairs that all indexes together may hold in memory.
  init(
    _ tables: StoreTables, _ row: GenerationRow, lineage: UInt64, indexPairs: Int,
    growthLimit: Int?
  ) {
    self.tables = tables
    beginning = row
    identifier = row.generation
    let capacity = indexPairs / (1 + row.indexedFields.count)
    batchPairs = max(1, min(StoreFormat.batchPairs, indexPairs))
    index = KeyIndexBuilder(
      tables, IndexID(segment: row.generation, index: StoreFormat.keyIndex),
      memoryCapacity: capacity)
    fieldIndexes = FieldIndexes(tables, row, memoryCapacity: capacity)
    pipeline = WritePipeline(tables.environment, lineage: lineage)
    space = StoreSpace(tables.environment, growthLimit: growthLimit)
    builder = BlockBuilder(layout: row.layout)
    hasOptionalKeys = row.layout.isDocument
  }

  private var indexes: [KeyIndexBuilder] { [index] + fieldIndexes.builders }

  /// Adds a record at the end; waits for the writer thread from time to time.
  mutating func append(
    _ record: RawSpan, isWide: Bool, keyHash: UInt64
  ) throws(StoreError) {
    guard recordCount < UInt64(UInt32.max) else { throw Self.tooMany }
    try waitForHuge()
    if !builder.canHold(byteCount: record.byteCount, isWide: isWide) { try seal() }
    builder.append(record, isWide: isWide)
    let ordinal = UInt32(truncatingIfNeeded: recordCount)
    if keyHash != 0 || !hasOptionalKeys {
      keyPairs.append(KeyPair(keyHash: keyHash, ordinal: ordinal))
    }
    if !fieldIndexes.isEmpty { try fieldIndexes.add(record, isWide: isWide, ordinal: ordinal) }
    recordCount += 1
    try sealHuge()
  }

  /// Adds all records of an encoder at the end; waits for the writer thread from time to time.
  mutating func append(_ records: borrowing RecordEncoder) throws(StoreError) {
    guard recordCount + UInt64(records.count) <= UInt64(UInt32.max) else { throw Self.tooMany }
    try waitForHuge()
    var next = 0
    while true {
      let first = next
      next = builder.append(records, from: first)
      for index in first..<next {
        let ordinal = UInt32(truncatingIfNeeded: recordCount + UInt64(index - first))
        let hash = records.keyHash(at: index)
        if hash == 0, hasOptionalKeys { continue }
        keyPairs.append(KeyPair(keyHash: hash, ordinal: ordinal))
      }
      if !fieldIndexes.isEmpty { try addToFieldIndexes(records, first..<next) }
      recordCount += UInt64(next - first)
      guard next < records.count else { return try sealHuge() }
      try seal()
    }
  }

  /// Writes a part of the text around the records.
  mutating func appendEnvelopeChunk(
    _ text: [UInt8], number: UInt32
  ) throws(StoreError) {
    try makeSpace(for: text.count)
    try pipeline.requireSpace(for: text.count, in: &space)
    // The row of the generation comes first, so that a sweep finds what a killed ingest leaves.
    if beginning != nil { for batch in takeBatches() { try submit(batch) } }
    let (tables, segment) = (tables, identifier)
    while pipeline.count >= StoreFormat.batchesUnderWay { try pipeline.waitForFirst() }
    pipeline.submit(bytes: text.count) { transaction throws(LMDBError) in
      let seed = tables.seed(segment: segment, index: EnvelopeChunk.index, number: number)
      let key = EnvelopeChunk.key(segment: segment, number: number)
      let bytes = EnvelopeChunk.sealed(text, seed: seed)
      try transaction.put(tables.index, key.span.bytes, bytes.span.bytes)
    }
  }

  // A huge record exists in memory several times: in the input, in the encoder, in its block and in
  // the transaction. Its block is sealed at once, so that the encoder's copy is released before the
  // transaction makes its own. Nothing is added until it has been written.

  private mutating func sealHuge() throws(StoreError) {
    if builder.byteCount > StoreFormat.hugeRecordBytes { try seal() }
  }

  private mutating func waitForHuge() throws(StoreError) {
    guard isHugeUnderWay else { return }
    try pipeline.drain()
    isHugeUnderWay = false
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

  /// Publishes a segment.
  typealias Publish = (WrittenSegment, inout WriteTransaction) throws(StoreError) -> Void

  /// Finishes blocks and indexes, and publishes them in the transaction that stores the last part.
  /// Each transaction waits for the disk, so fewer transactions finish sooner.
  ///
  /// - Parameters:
  ///   - checkpoint: called between transactions; may throw to cancel.
  ///   - publish: called once, in the last transaction.
  mutating func finish(
    _ checkpoint: () throws(StoreError) -> Void,
    publish: Publish
  ) throws(StoreError) {
    if builder.recordCount > 0 { try seal() }
    if recordCount > 0 { try pipeline.requireSpace(for: blockBytes, in: &space) }
    var batches = takeBatches()
    let last = batches.removeLast()
    for batch in batches { try submit(batch) }
    try writeLast(publish) { indexes, transaction throws(LMDBError) in
      try last.write(&transaction)
      for index in indexes { try index.finish(&transaction) }
    }
    while let index = indexes.first(where: \.needsStep) {
      try checkpoint()
      let changes = try nextChanges(of: index)
      if indexes.contains(where: \.needsStep) {
        while pipeline.count >= StoreFormat.batchesUnderWay { try pipeline.waitForFirst() }
        pipeline.submit(bytes: changes.byteCount) { transaction throws(LMDBError) in
          try changes.write(&transaction)
        }
        if changes.isOfRun { try pipeline.drain() }
      } else {
        try writeLast(publish) { _, transaction throws(LMDBError) in
          try changes.write(&transaction)
        }
      }
    }
  }

  /// Merges on this thread, while the writer thread stores the changes before.
  private mutating func nextChanges(
    of index: KeyIndexBuilder
  ) throws(StoreError) -> KeyIndexChanges {
    do throws(StoreError) {
      return try tables.environment.read { transaction throws(StoreError) in
        try index.nextChanges(transaction)
      }
    } catch {
      // If the store was replaced, its runs are missing, and that is the cause to report.
      try pipeline.write { _ throws(StoreError) in }
      throw error
    }
  }

  /// Runs a body in a transaction after all others, and publishes in it unless the indexes need
  /// more transactions.
  private mutating func writeLast(
    _ publish: Publish,
    _ body: ([KeyIndexBuilder], inout WriteTransaction) throws(LMDBError) -> Void
  ) throws(StoreError) {
    let indexes = recordCount > 0 ? indexes : []
    let (identifier, recordCount, blockCount) = (identifier, recordCount, UInt64(blockCount))
    let byteCount = byteCount
    try pipeline.write { transaction throws(StoreError) in
      do throws(LMDBError) { try body(indexes, &transaction) } catch { throw StoreError(error) }
      guard !indexes.contains(where: \.needsStep) else { return }
      let written = WrittenSegment(
        identifier: identifier, recordCount: recordCount, blockCount: blockCount,
        blockBytes: byteCount, indexes: indexes.map(\.result))
      try publish(written, &transaction)
    }
  }

  /// Stops further writes and waits for submitted ones.
  mutating func cancel() { pipeline.cancel() }

  private mutating func seal() throws(StoreError) {
    let first = recordCount - UInt64(builder.recordCount)
    let block = builder.seal(
      number: blockCount, firstOrdinal: first,
      seed: tables.seed(segment: identifier, number: blockCount))
    // Small records with many indexes produce more pairs than block data.
    if keyPairs.count + fieldIndexes.pairCount >= batchPairs { try flush() }
    try makeSpace(for: block.byteCount)
    blocks.append(SegmentBatch.Block(firstOrdinal: first, sealed: block))
    blockBytes += block.byteCount
    byteCount += block.byteCount
    blockCount += 1
    if block.byteCount > StoreFormat.hugeRecordBytes {
      try flush()
      isHugeUnderWay = true
    } else {
      try flushIfWorthwhile()
    }
  }

  /// The bytes gathered for the next batch.
  private var gatheredBytes: Int {
    let pairs = keyPairs.count + fieldIndexes.pairCount
    return blockBytes + pairs * MemoryLayout<KeyPair>.stride
  }

  /// The gathered bytes and those submitted to the writer thread.
  var heldBytes: Int { gatheredBytes + pipeline.bytesUnderWay }

  /// The bytes that are known to be committed.
  var writtenBytes: Int { pipeline.writtenBytes }

  /// The number of submitted batches.
  var batchesUnderWay: Int { pipeline.count }

  /// Waits until this number of additional bytes fits in the budget.
  private mutating func makeSpace(for bytes: Int) throws(StoreError) {
    try pipeline.collect()
    while heldBytes + bytes > StoreFormat.batchBudget {
      if !blocks.isEmpty, pipeline.count < StoreFormat.batchesUnderWay {
        try flush()
      } else if pipeline.count > 0 {
        try pipeline.waitForFirst()
      } else {
        return
      }
    }
  }

  /// Submits the gathered data if they are worth a transaction. Batches grow while the writer
  /// thread is slower than the producer, and shrink when it is idle.
  private mutating func flushIfWorthwhile() throws(StoreError) {
    try pipeline.collect()
    let limits = StoreFormat.minimumBatchBytes
    let minimum = min(max(byteCount / 4, limits.lowerBound), limits.upperBound)
    if pipeline.count == 0, gatheredBytes >= minimum {
      worthwhileBytes = max(worthwhileBytes / 2, minimum)
      return try flush()
    }
    guard gatheredBytes >= max(worthwhileBytes, minimum) else { return }
    if pipeline.count < StoreFormat.batchesUnderWay { return try flush() }
    worthwhileBytes = min(2 * worthwhileBytes, StoreFormat.maximumBatchBytes)
  }

  /// Submits the gathered data.
  private mutating func flush() throws(StoreError) {
    guard !blocks.isEmpty else { return }
    try pipeline.requireSpace(for: blockBytes, in: &space)
    for batch in takeBatches() { try submit(batch) }
  }

  private mutating func submit(_ batch: SegmentBatch) throws(StoreError) {
    while pipeline.count >= StoreFormat.batchesUnderWay { try pipeline.waitForFirst() }
    pipeline.submit(bytes: batch.byteCount) { transaction throws(LMDBError) in
      try batch.write(&transaction)
    }
    for index in indexes where index.needsStep {
      pipeline.submit(bytes: KeyIndexBuilder.stepBytes) { transaction throws(LMDBError) in
        try index.step(&transaction)
      }
    }
  }

  /// The gathered data as batches; several if a single record has very many pairs.
  private mutating func takeBatches() -> [SegmentBatch] {
    let pairs = zip(indexes, [keyPairs] + fieldIndexes.takePairs()).map { ($0, $1[...]) }
    let batches = SegmentBatch.divide(pairs, each: batchPairs).map { pairs in
      defer { (beginning, blocks) = (nil, []) }
      return SegmentBatch(
        tables, segment: identifier, beginning: beginning, blocks: blocks, pairs: pairs)
    }
    blockBytes = 0
    keyPairs = []
    return batches
  }
}

/// A segment whose blocks and indexes have been written.
struct WrittenSegment {
  let identifier: UInt64
  let recordCount: UInt64
  let blockCount: UInt64
  /// The bytes of its blocks.
  let blockBytes: Int
  /// Its indexes by their numbers.
  var indexes: [IndexResult]

  var segment: Segment {
    Segment(
      identifier: identifier, recordCount: recordCount, blockCount: blockCount,
      byteCount: UInt64(indexes.reduce(blockBytes) { $0 + $1.byteCount }))
  }
}
