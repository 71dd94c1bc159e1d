import FeedRecord
import LMDB

/// Copies a generation of a shared store into a local copy, block by block.
///
/// Every block is verified before it is stored. Readers see the former generation until `publish`
/// returns. An import that is released earlier leaves nothing behind.
package final class FeedImport {
  /// The bytes of one transaction.
  private static let batchBytes = 4 << 20

  private let database: FeedDatabase
  private let shared: SharedRow
  private let lock: FeedLock
  /// The segments whose blocks have to be copied.
  package let segments: [UInt64]
  /// Whether the store still has all blocks of a copy that was removed.
  private let isRevived: Bool
  private var buildingLock: FileLock?
  private var hasBegun = false
  /// Stores batches while later blocks arrive and are verified.
  private var pipeline: WritePipeline
  private var batch: [(key: StoredBlockKey, storeKey: [UInt8], bytes: [UInt8])] = []
  private var batchedBytes = 0
  private var counts: [StoredBlockKey.Part: [UInt64: UInt32]] = [:]
  private var nextOrdinals: [UInt64: UInt64] = [:]

  /// - Parameter lock: the lock of the feed
  /// - Throws: `busy` while another import copies the same generation
  package init(
    _ shared: SharedRow, into database: FeedDatabase, holding lock: FeedLock
  ) throws(StoreError) {
    self.database = database
    self.shared = shared
    self.lock = lock
    let environment = database.tables.environment
    pipeline = WritePipeline(environment, lineage: environment.lineage)
    let current = try database.tables.environment.read { transaction throws(StoreError) in
      try database.tables.currentRow(shared.name, transaction)
    }
    let present = Set(current?.segments.map(\.identifier) ?? [])
    let missing = shared.segments.filter { !present.contains($0) }
    guard current?.generation != shared.generation else {
      (segments, isRevived) = (missing, false)
      return
    }
    buildingLock = try database.locks.building(shared.generation)
    guard buildingLock != nil else { throw database.busy(shared.name) }
    // While this lock is held, no sweep removes the generation.
    isRevived = try database.keepsRemovedCopy(of: shared)
    segments = isRevived ? [] : missing
  }

  deinit {
    // A revived generation may still be read, so a later sweep removes it.
    guard buildingLock != nil, hasBegun else { return }
    pipeline.cancel()
    guard !isRevived else { return }
    // If the removal fails here, the next sweep does it.
    var report = SweepReport()
    let sweep = Sweep(tables: database.tables, locks: database.locks)
    _ = try? sweep.remove(shared.generation, &report)
  }

  /// Verifies a block and stores it in one transaction with others.
  ///
  /// Pass the blocks of each part in the order of their numbers.
  ///
  /// - Throws: `damaged` for a block that is not the one that its key names
  package func put(_ key: StoredBlockKey, _ bytes: RawSpan) throws(StoreError) {
    let next = counts[key.part]?[key.segment] ?? 0
    guard key.number == next else { throw damaged(key, "it is out of order") }
    let storeKey: [UInt8]
    do throws(RecordError) {
      storeKey = try verified(key, bytes)
    } catch {
      throw damaged(key, error.message)
    }
    counts[key.part, default: [:]][key.segment] = next + 1
    batch.append((key, storeKey, Array(copying: bytes)))
    batchedBytes += bytes.byteCount
    if batchedBytes >= Self.batchBytes { try flush() }
  }

  /// The key of a verified block in the tables of the store.
  private func verified(_ key: StoredBlockKey, _ bytes: RawSpan) throws(RecordError) -> [UInt8] {
    let tables = database.tables
    switch key.part {
    case .records:
      let view = try BlockView(bytes)
      try view.verify(seed: tables.seed(segment: key.segment, number: key.number))
      let ordinal = nextOrdinals[key.segment] ?? 0
      guard view.number == key.number, view.firstOrdinal == ordinal, view.recordCount > 0,
        view.matches(shared.row.layout)
      else { throw RecordError(.damaged, "it is at the position of another one") }
      nextOrdinals[key.segment] = ordinal + UInt64(view.recordCount)
      return Self.array(StoreKey.block(segment: key.segment, ordinal: ordinal).span.bytes)
    case .index(let index):
      let view = try IndexBlockView(bytes)
      try view.verify(seed: tables.seed(segment: key.segment, index: index, number: key.number))
      guard view.number == key.number else {
        throw RecordError(.damaged, "it is at the position of another one")
      }
      let hash = view.count > 0 ? try view.hash(at: 0) : 0
      return Self.array(
        StoreKey.index(segment: key.segment, index: index, hash: hash, number: key.number)
          .span.bytes)
    case .envelope:
      let seed = tables.seed(
        segment: key.segment, index: EnvelopeChunk.index, number: key.number)
      do throws(StoreError) {
        _ = try EnvelopeChunk.text(bytes, seed: seed)
      } catch {
        throw RecordError(.damaged, error.message)
      }
      return Self.array(EnvelopeChunk.key(segment: key.segment, number: key.number).span.bytes)
    }
  }

  private static func array(_ bytes: RawSpan) -> [UInt8] { Array(copying: bytes) }

  private func flush() throws(StoreError) {
    guard !batch.isEmpty || !hasBegun else { return }
    let (tables, batch) = (database.tables, batch)
    var row = shared.row
    row.state = .building
    let (begun, begins, isRevived) = (row, !hasBegun, isRevived)
    while pipeline.count >= StoreFormat.batchesUnderWay { try pipeline.waitForFirst() }
    pipeline.submit(bytes: batchedBytes) { transaction throws(LMDBError) in
      if begins {
        if isRevived {
          try tables.put(begun, &transaction)
        } else {
          try tables.begin(begun, &transaction)
        }
      }
      for block in batch {
        let table = block.key.part == .records ? tables.blocks : tables.index
        try transaction.put(table, block.storeKey.span.bytes, block.bytes.span.bytes)
      }
    }
    hasBegun = true
    self.batch = []
    batchedBytes = 0
  }

  /// Makes the generation visible and durable.
  ///
  /// - Parameter schema: the text of its schema
  /// - Throws: `damaged` if blocks are missing, or the schema is not that of the row
  package func publish(schema: [UInt8]) throws(StoreError) {
    let row = shared.row
    guard schema.count == shared.schemaByteCount,
      schema.isEmpty || KeyHash.hash(schema.span.bytes) == row.details.schemaHash
    else {
      throw StoreError(
        .damaged, "the schema of the feed \(row.name) is damaged in the shared store")
    }
    _ = try StoredSchema(schema, of: row, database.catalog)
    guard buildingLock != nil else { return try renew() }
    try requireComplete()
    try flush()
    try pipeline.write { transaction throws(StoreError) in
      try database.publish(row, envelope: shared.envelope, schema: schema, .always, &transaction)
    }
    buildingLock = nil
    try database.synchronizeAndSweep(after: "the feed \(row.name) was copied")
  }

  /// Replaces the description of the copy's current generation.
  private func renew() throws(StoreError) {
    let tables = database.tables
    try tables.environment.write { (transaction: inout WriteTransaction) throws(StoreError) in
      do throws(LMDBError) { try tables.put(shared.row, &transaction) } catch {
        throw StoreError(error)
      }
    }
    try database.synchronize(after: "the feed \(shared.name) was renewed")
  }

  private func requireComplete() throws(StoreError) {
    for segment in segments {
      for (part, count) in shared.counts(of: segment) where counts[part]?[segment] ?? 0 != count {
        throw damaged(
          StoredBlockKey(segment: segment, part: part, number: counts[part]?[segment] ?? 0),
          "it is missing")
      }
      let records = shared.row.segments.first { $0.identifier == segment }?.recordCount
      guard nextOrdinals[segment] ?? 0 == records else {
        throw damaged(
          StoredBlockKey(segment: segment, part: .records, number: 0),
          "the blocks hold another number of records than the row states")
      }
    }
  }

  /// The error for a block that the shared store does not have.
  package func missing(_ key: StoredBlockKey) -> StoreError { damaged(key, "it is missing") }

  private func damaged(_ key: StoredBlockKey, _ reason: String) -> StoreError {
    StoreError(
      .damaged,
      "a block of the feed \(shared.name) is damaged in the shared store (segment"
        + " \(String(key.segment, radix: 16)), \(key.part), number \(key.number)): \(reason); ingest"
        + " the feed again")
  }
}

extension FeedDatabase {
  /// Whether all blocks of a removed copy are still present because it is being read. If only some
  /// are present, their removal is completed.
  ///
  /// The caller holds the generation's building lock.
  fileprivate func keepsRemovedCopy(of shared: SharedRow) throws(StoreError) -> Bool {
    let (tables, generation) = (tables, shared.generation)
    let isWhole = try tables.environment.read { transaction throws(StoreError) -> Bool? in
      guard let row = try tables.row(generation, transaction), row.state != .published else {
        return nil
      }
      guard row.state == .dead else { return false }
      for segment in shared.segments {
        let expected = shared.counts(of: segment).reduce(0) { $0 + Int($1.count) }
        guard try tables.entryCount(of: segment, transaction) == expected else { return false }
      }
      return true
    }
    guard isWhole == false else { return isWhole ?? false }
    guard let removal = try locks.removal(generation) else { throw busy(shared.name) }
    defer { withExtendedLifetime(removal) {} }
    var report = SweepReport()
    try Sweep(tables: tables, locks: locks).remove(generation, &report)
    return false
  }
}

extension StoreTables {
  /// The number of blocks of a segment and its indexes.
  fileprivate func entryCount(
    of segment: UInt64, _ transaction: borrowing ReadTransaction
  ) throws(StoreError) -> Int {
    var count = 0
    do throws(LMDBError) {
      for table in [blocks, index] {
        var cursor = try transaction.cursor(table)
        var isThere = try cursor.seek(atOrAfter: StoreKey.number(segment).span.bytes)
        while isThere, cursor.key.bigEndian(at: 0, as: UInt64.self) == segment {
          count += 1
          isThere = try cursor.next()
        }
      }
    } catch {
      throw StoreError(error)
    }
    return count
  }
}
