import FeedRecord
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
        if row.generation != number { note("generation \(number): its row is another one's") }
        rows.append(row)
        _ = try tables.envelope(of: row, transaction)
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
        note("a block has a key that is none")
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
        note("a block of an index has a key that is none")
        continue
      }
      guard var segment = segments[number] else {
        note("a block of an index belongs to segment \(number), which no generation lists")
        continue
      }
      do {
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
