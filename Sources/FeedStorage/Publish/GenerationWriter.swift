@_spi(Ingest) package import FeedRecord
package import FeedSchema
import LMDB

/// Builds the next generation of a feed, which is invisible until it is published.
///
/// Use it from one thread. Until `publish` has returned, any failure leaves the feed unchanged. A
/// sweep removes the generation of a killed process.
package final class GenerationWriter {
  /// The number of the generation.
  package let generation: UInt64
  /// The number of records of this ingest so far, without dropped ones.
  package private(set) var recordCount = 0
  /// The number of records that were byte-equal to stored ones.
  package private(set) var droppedCount = 0

  /// Called with each record that is dropped, and whether its offsets have 32 bits.
  package var onDrop: (RawSpan, Bool) throws(StoreError) -> Void = { _, _ in }

  /// The bytes of blocks and pairs in memory that are not written yet.
  package var heldBytes: Int { segment.heldBytes }
  /// The number of batches that were passed to the writer thread and are not known to be written.
  package var batchesUnderWay: Int { segment.batchesUnderWay }

  private let database: FeedDatabase
  private var base: GenerationBase
  private let condition: PublishCondition
  private let isCancelled: () -> Bool
  private var feedLock: FeedLock?
  private var buildingLock: FileLock?
  /// The change of the shared store, if this store is a copy of one.
  private var change: (any FeedChange)?
  private var segment: SegmentWriter
  /// The bytes that were committed when the shared store was last asked to take them.
  private var pushedBytes = 0
  private var envelope = EnvelopeWriter()
  private var isOver = false

  init(
    _ database: FeedDatabase, _ base: GenerationBase, _ start: FeedDatabase.GenerationStart,
    condition: PublishCondition, isCancelled: @escaping () -> Bool
  ) throws(StoreError) {
    self.database = database
    self.base = base
    self.condition = condition
    self.isCancelled = isCancelled
    feedLock = start.feedLock
    change = start.change
    buildingLock = start.buildingLock
    generation = base.row.generation
    segment = SegmentWriter(
      database.tables, base.row, lineage: start.lineage, indexPairs: database.indexPairs,
      growthLimit: database.growthLimit)
    // The new generation does not list these segments, so their records are rewritten.
    if let copied = base.copied { try copyRecords(of: copied, in: database.tables) }
  }

  deinit { abandon() }

  /// Adds a record at the end; an append skips records that are already stored.
  ///
  /// Waits for the writer thread from time to time, to bound the memory in use.
  ///
  /// - Parameters:
  ///   - record: a record of the generation's layout, from the encoder
  ///   - isWide: whether its offsets have 32 bits
  ///   - keyHash: `KeyHash` of its key's bytes
  package func append(
    _ record: RawSpan, isWide: Bool, keyHash: UInt64
  ) throws(StoreError) {
    try requireOpen()
    if try base.contains(record, isWide: isWide, keyHash: keyHash, database.tables) {
      droppedCount += 1
      return try onDrop(record, isWide)
    }
    try segment.append(record, isWide: isWide, keyHash: keyHash)
    recordCount += 1
    if recordCount & 0x3FF == 0 { try pushAndCheckpoint() }
  }

  /// Adds all records of an encoder; an append skips records that are already stored.
  package func append(_ records: borrowing RecordEncoder) throws(StoreError) {
    try requireOpen()
    guard !base.comparesRecords else {
      for index in 0..<records.count {
        try append(
          records.bytes(at: index), isWide: records.isWide(at: index),
          keyHash: records.keyHash(at: index))
      }
      return try pushAndCheckpoint()
    }
    try segment.append(records)
    recordCount += records.count
    try pushAndCheckpoint()
  }

  /// Adds a part of the text around the records, in document order. If records are added to a feed,
  /// the feed keeps its own text and this call does nothing.
  package func appendEnvelope(
    _ text: borrowing RawSpan, isAfterRecords: Bool
  ) throws(StoreError) {
    try requireOpen()
    guard !base.isAppended else { return }
    try envelope.append(text, isAfterRecords: isAfterRecords) { part, number throws(StoreError) in
      try segment.appendEnvelopeChunk(part, number: number)
    }
  }

  /// Makes the generation visible to readers and durable.
  ///
  /// When this returns, the feed survives a power cut. After an error call `abandon`.
  ///
  /// - Parameters:
  ///   - referenceSeconds: the feed's timestamp, seconds since 2001-01-01T00:00:00Z
  ///   - origin: the source of the records
  ///   - validators: the validators that the server sent
  ///   - envelope: the JSON text around the records
  ///   - envelopeInsertion: the offset of the records in the envelope
  ///   - documents: the schema and statistics of documents; nil for records of a contract
  package func publish(
    referenceSeconds: Double, origin: String, validators: ResponseValidators = ResponseValidators(),
    envelope: [UInt8], envelopeInsertion: Int, documents: DocumentOutcome? = nil
  ) throws(StoreError) -> FeedDescription {
    try requireOpen()
    var row = base.row
    row.state = .published
    row.referenceBits = referenceSeconds.bitPattern
    row.origin = origin
    row.validators = validators
    try self.envelope.finish { part, number throws(StoreError) in
      try segment.appendEnvelopeChunk(part, number: number)
    }
    var (envelope, envelopeInsertion) = (envelope, envelopeInsertion)
    if documents != nil {
      (envelope, envelopeInsertion) = (self.envelope.text, self.envelope.before.count)
      if let kept = base.keptEnvelope { (envelope, envelopeInsertion) = kept }
      row.details.envelopeChunks = self.envelope.chunkCount
      if self.envelope.chunkCount > 0 { envelopeInsertion = Int(self.envelope.chunksBefore) }
      if let kept = base.keptEnvelopeChunks {
        row.details.envelopeChunks = kept.count
        envelopeInsertion = Int(kept.before)
      }
    }
    row.envelopeByteCount = UInt32(clamping: envelope.count)
    row.envelopeInsertion = UInt32(clamping: envelopeInsertion)
    row.envelopeHash = KeyHash.hash(envelope.span.bytes)
    let publishedEnvelope = envelope
    var schema = base.schema
    var storedSchema: StoredSchema?
    let (kept, keptCounts) = (base.keptSegments, base.keptIndexBlockCounts)
    // The shared store takes the last records while the indexes are written.
    let step = { [self] () throws(StoreError) in
      if pushedBytes > 0 { try change?.pushWrittenBlocks() }
      try checkpoint()
    }
    try step()
    try segment.finish(step) { written, transaction throws(StoreError) in
      var written = written
      if let documents {
        schema = try documents.choose(&row, &written, database.tables, &transaction)
      }
      row.details.schemaByteCount = UInt32(clamping: schema.count)
      row.details.schemaHash = schema.isEmpty ? 0 : KeyHash.hash(schema.span.bytes)
      // Read before it is published: readers must understand it.
      storedSchema = try StoredSchema(schema, of: row, database.catalog)
      // The parts of a long text around the records belong to a segment too.
      let hasRecords = written.recordCount > 0 || (kept.isEmpty && row.details.envelopeChunks > 0)
      row.segments = kept + (hasRecords ? [written.segment] : [])
      // Segments of an earlier version have no counts.
      let unknown = Array(repeating: [UInt32](), count: max(kept.count - keptCounts.count, 0))
      let counts = written.indexes.map(\.blockCount)
      row.details.indexBlockCounts = unknown + keptCounts + (hasRecords ? [counts] : [])
      if change == nil {
        try database.publish(
          row, envelope: publishedEnvelope, schema: schema, condition, &transaction)
      } else {
        try database.seal(row, envelope: publishedEnvelope, schema: schema, &transaction)
      }
    }
    if let change {
      let written = row.segments.last.map(\.identifier) == generation ? generation : nil
      try change.publish(
        SealedGeneration(
          database: database,
          row: SharedRow(row, envelope: publishedEnvelope, store: database.identifier),
          schema: schema, segment: written),
        isCancelled: isCancelled)
      // The shared store has already checked the condition.
      try database.publishSealed(row, envelope: publishedEnvelope, schema: schema)
    }
    isOver = true
    defer {
      change?.finish()
      (buildingLock, feedLock, change) = (nil, nil, nil)
    }
    try database.synchronizeAndSweep(after: "the feed \(row.name) was published")
    let description = row.description(envelope: publishedEnvelope, storedSchema)
    StorageEvents.published(description)
    return description
  }

  /// Removes everything of this generation, unless it was published. May be called again.
  package func abandon() {
    guard !isOver else { return }
    isOver = true
    segment.cancel()
    // Before the removal, since it sends the blocks in their order.
    change?.abandon()
    // If the removal fails here, the next sweep does it.
    var report = SweepReport()
    let sweep = Sweep(tables: database.tables, locks: database.locks)
    _ = try? sweep.remove(generation, &report)
    (buildingLock, feedLock, change) = (nil, nil, nil)
  }

  private func requireOpen() throws(StoreError) {
    guard isOver else { return }
    throw StoreError(
      .misuse, "the ingest was already published or abandoned; begin another one",
      path: database.directory)
  }

  private func pushAndCheckpoint() throws(StoreError) {
    if let change, segment.writtenBytes - pushedBytes >= StoreFormat.pushBytes {
      pushedBytes = segment.writtenBytes
      try change.pushWrittenBlocks()
    }
    try checkpoint()
  }

  private func checkpoint() throws(StoreError) {
    if isCancelled() { throw StoreError(.cancelled, "the ingest was cancelled") }
  }

  /// Copies the records of another generation, and the text around them if it is stored in parts.
  ///
  /// - Parameter tables: those of the store that has the generation
  func copyRecords(
    of copied: PublishedGeneration, in tables: StoreTables
  ) throws(StoreError) {
    do throws(StoreError) {
      try copyAll(of: copied, in: tables)
    } catch {
      abandon()
      throw error
    }
  }

  private func copyAll(
    of copied: PublishedGeneration, in tables: StoreTables
  ) throws(StoreError) {
    let key = KeyField(copied.row.keyField, of: copied.row.layout)
    var scan = FeedScan(tables, copied)
    var encoder = RecordEncoder(layout: base.row.layout)
    let sources = FieldSources(of: base.row.layout, in: copied.row.layout)
    let isOfOtherLayout = base.row.layout != copied.row.layout
    while try scan.step({ block, record, _ throws(StoreError) in
      let needsEncoding = block.isOld || isOfOtherLayout
      let hash: UInt64
      do throws(RecordError) {
        hash = try key.hash(record)
        if needsEncoding { try encoder.append(copying: record, from: sources, keyHash: hash) }
      } catch {
        throw StoreError(error)
      }
      if needsEncoding {
        try segment.append(encoder)
        encoder.removeAll()
      } else {
        try segment.append(record.bytes, isWide: block.isWide, keyHash: hash)
      }
      return true
    }) {
      try pushAndCheckpoint()
    }
    try copyEnvelopeChunks(of: copied, in: tables)
  }

  private func copyEnvelopeChunks(
    of copied: PublishedGeneration, in tables: StoreTables
  ) throws(StoreError) {
    guard copied.row.details.envelopeChunks > 0,
      let source = copied.row.segments.first?.identifier
    else { return }
    for number in 0..<copied.row.details.envelopeChunks {
      var part: [UInt8] = []
      try tables.readers.read { transaction throws(StoreError) in
        try tables.forEachEnvelopeChunk(
          number..<number + 1, of: source, transaction
        ) { text throws(StoreError) in part = text.withUnsafeBytes { Array($0) } }
      }
      try segment.appendEnvelopeChunk(part, number: number)
      try checkpoint()
    }
  }
}
