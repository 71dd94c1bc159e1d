@_spi(Ingest) import FeedRecord
import FeedSchema
import LMDB

/// Verifies the consistency of the tables of feeds, in one snapshot.
///
/// It checks every row, every block by its checksum, every record by its segment's index, every
/// index entry by its record, and every sum.
struct FeedsCheck {
  private static let maximumFindings = 100

  private let tables: StoreTables
  private(set) var report: StoreCheckReport
  /// The segments and the results of their checks.
  private var segments: [UInt64: SegmentCheck] = [:]

  init(_ tables: StoreTables, _ report: StoreCheckReport) {
    self.tables = tables
    self.report = report
  }

  mutating func run() throws(StoreError) {
    try tables.environment.read { transaction throws(StoreError) in
      do {
        try checkRows(transaction)
        try checkNames(transaction)
        try checkBlocks(transaction)
        try checkIndexes(transaction)
      } catch {
        throw StoreError(wrapping: error, path: tables.environment.path)
      }
    }
    for segment in segments.values.sorted(by: { $0.segment.identifier < $1.segment.identifier }) {
      for finding in segment.contradictions { note(finding) }
    }
  }

  private mutating func note(_ finding: String) {
    if report.findings.count < Self.maximumFindings { report.findings.append(finding) }
  }

  // MARK: Rows

  private mutating func checkRows(_ transaction: borrowing ReadTransaction) throws {
    var cursor = try transaction.cursor(tables.generations)
    var rows: [GenerationRow] = []
    while try cursor.next() {
      guard let number = cursor.key.bigEndian(at: 0, as: UInt64.self) else {
        note("a generation has no number")
        continue
      }
      guard cursor.key.byteCount == 8 else {
        if rows.last?.generation != number { note("generation \(number): it has no row") }
        continue
      }
      do throws(StoreError) {
        let row = try GenerationRow(cursor.value)
        if row.generation != number {
          note("generation \(number): its row belongs to another generation")
        }
        rows.append(row)
        _ = try tables.envelope(of: row, transaction)
        let schema = try tables.schemaText(of: row, transaction)
        if !schema.isEmpty { _ = try StoredSchema(schema, of: row, PayloadCatalog([])) }
      } catch {
        note("generation \(number): \(error.message)")
      }
    }
    // A segment of a published generation must be complete, even if other generations list it too.
    for row in rows.sorted(by: { $0.state != .published && $1.state == .published }) {
      for segment in row.segments {
        segments[segment.identifier] = SegmentCheck(row, segment)
      }
    }
  }

  private mutating func checkNames(_ transaction: borrowing ReadTransaction) throws {
    var named: Set<UInt64> = []
    for name in try tables.names(transaction) {
      do throws(StoreError) {
        guard let row = try tables.currentRow(name, transaction), row.state == .published else {
          note("\(name): the feed points at a generation that is not published")
          continue
        }
        named.insert(row.generation)
        report.feeds += 1
      } catch {
        note("\(name): \(error.message)")
      }
    }
    for row in try tables.rows(transaction)
    where row.state == .published && !named.contains(row.generation) {
      note("generation \(row.generation): no feed points at it")
    }
  }

  // MARK: Blocks

  private mutating func checkBlocks(_ transaction: borrowing ReadTransaction) throws {
    var cursor = try transaction.cursor(tables.blocks)
    while try cursor.next() {
      let key = cursor.key
      guard key.byteCount == 16, let number = key.bigEndian(at: 0, as: UInt64.self),
        let ordinal = key.bigEndian(at: 8, as: UInt64.self)
      else {
        note("the key of a block is invalid")
        continue
      }
      guard var segment = segments[number] else {
        note("a block belongs to segment \(number), which no generation lists")
        continue
      }
      do {
        let block = try BlockView(cursor.value)
        try block.verify(seed: tables.seed(segment: number, number: block.number))
        try segment.take(block, at: ordinal, byteCount: cursor.value.byteCount)
        report.blocks += 1
        report.records += block.recordCount
      } catch {
        note("segment \(number), the block of record \(ordinal): \(Self.message(error))")
      }
      segments[number] = segment
    }
  }

  private mutating func checkIndexes(_ transaction: borrowing ReadTransaction) throws {
    var cursor = try transaction.cursor(tables.index)
    while try cursor.next() {
      let key = cursor.key
      guard key.byteCount >= 9, let number = key.bigEndian(at: 0, as: UInt64.self) else {
        note("the key of an index block is invalid")
        continue
      }
      guard var segment = segments[number] else {
        note("a block of an index belongs to segment \(number), which no generation lists")
        continue
      }
      do {
        if key.bigEndian(at: 8, as: UInt8.self) == EnvelopeChunk.index {
          let part = key.bigEndian(at: 17, as: UInt32.self) ?? 0
          let seed = tables.seed(segment: number, index: EnvelopeChunk.index, number: part)
          _ = try EnvelopeChunk.text(cursor.value, seed: seed)
          try segment.takeEnvelopeChunk(part)
          segments[number] = segment
          continue
        }
        let block = try IndexBlockView(cursor.value)
        let index = StoreKey.indexNumber(key)
        try block.verify(seed: tables.seed(segment: number, index: index, number: block.number))
        try segment.take(block, key: key, byteCount: cursor.value.byteCount)
        report.blocks += 1
      } catch {
        note("segment \(number), a block of its index: \(Self.message(error))")
      }
      segments[number] = segment
    }
  }

  private static func message(_ error: any Error) -> String {
    switch error {
    case let error as RecordError: error.message
    case let error as StoreError: error.message
    default: "\(error)"
    }
  }
}

/// Sums over the blocks of one segment and of its indexes, visited in key order.
struct SegmentCheck {
  let segment: Segment
  private let row: GenerationRow
  /// By number: the index of the key, then those of the other indexed fields.
  private var indexes: [IndexCheck]
  private var blockCount: UInt64 = 0
  private var recordCount: UInt64 = 0
  private var byteCount: UInt64 = 0
  private var envelopeChunks: UInt32 = 0

  init(_ row: GenerationRow, _ segment: Segment) {
    self.row = row
    self.segment = segment
    indexes = ([row.keyField] + row.indexedFields).enumerated().map { number, field in
      IndexCheck(UInt8(clamping: number), of: field, row.layout)
    }
  }

  private var damaged: StoreError {
    StoreError(.damaged, "it contradicts its key")
  }

  /// For each index, the number of its blocks that the row lists; 0 for an unknown number.
  private var indexBlockCounts: [UInt32] {
    let counts = row.details.indexBlockCounts
    guard let index = row.segments.firstIndex(of: segment), counts.indices.contains(index) else {
      return []
    }
    return counts[index]
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

  /// Adds the next part of the text around the records, whose checksum has been verified.
  mutating func takeEnvelopeChunk(_ number: UInt32) throws(StoreError) {
    guard row.state == .published else { return }
    guard number == envelopeChunks, segment == row.segments.first else { throw damaged }
    envelopeChunks += 1
  }

  /// Adds the next block of an index or a run, whose checksum has been verified.
  mutating func take(_ block: IndexBlockView, key: RawSpan, byteCount: Int) throws {
    guard row.state == .published else { return }
    guard key.byteCount == 21, let number = key.bigEndian(at: 8, as: UInt8.self),
      Int(number) < indexes.count
    else {
      throw StoreError(.damaged, "it remains from a finished index")
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
        "\(name): \(recordCount) records in \(blockCount) blocks of \(byteCount) bytes, but the"
          + " row lists \(segment.recordCount) in \(segment.blockCount) of \(segment.byteCount)")
    }
    if segment == row.segments.first, envelopeChunks != row.details.envelopeChunks {
      findings.append(
        "\(name): the text around the records has \(envelopeChunks) parts, but the row lists"
          + " \(row.details.envelopeChunks)")
    }
    for (number, index) in indexes.enumerated() where !index.isConsistent {
      let field = number == 0 ? "the key" : "the field \(row.indexedFields[number - 1])"
      findings.append("\(name): the index by \(field) does not list exactly those of the records")
    }
    for (index, count) in zip(indexes, indexBlockCounts)
    where ![0, index.blockCount].contains(count) {
      findings.append(
        "\(name): an index has \(index.blockCount) blocks, but the row lists \(count)")
    }
    return findings
  }
}

/// Compares the pairs that an index should hold, computed from the records, with the pairs in its
/// blocks. Both are visited in key order.
struct IndexCheck {
  private let number: UInt8
  private let field: KeyField
  private var recordPairs = PairChecksum()
  private var indexPairs = PairChecksum()
  /// The expected first hash of the next block; nil if there is no next block.
  private var nextHash: UInt32?
  private var lastHash: UInt32?
  private(set) var blockCount: UInt32 = 0

  init(_ number: UInt8, of field: UInt16, _ layout: RecordLayout) {
    self.number = number
    self.field = KeyField(field, of: layout)
  }

  private var isKeyIndex: Bool { number == StoreFormat.keyIndex }

  /// Adds the next record.
  mutating func take(_ record: RecordView, at ordinal: UInt64) throws(RecordError) {
    if isKeyIndex, !field.isOptional {
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
    else { throw StoreError(.damaged, "it contradicts its key") }
    guard block.number == blockCount, block.lower == lastHash,
      nextHash == nil || nextHash == first
    else { throw StoreError(.damaged, "it does not continue the previous block") }
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

/// A checksum of a set of pairs that does not depend on their order.
///
/// Equal checksums mean equal pairs, except with a probability of 1 in 2^64. An index is thus
/// compared with its records without holding either in memory.
struct PairChecksum: Equatable {
  private var count = 0
  private var sum: UInt64 = 0
  private var squares: UInt64 = 0

  mutating func add(_ pair: KeyPair) {
    let bytes = StoreKey.number(UInt64(pair.hash) << 32 | UInt64(pair.ordinal))
    let mixed = KeyHash.hash(bytes.span.bytes)
    count += 1
    sum &+= mixed
    squares &+= mixed &* mixed
  }
}
