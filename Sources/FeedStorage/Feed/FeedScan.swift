import FeedRecord
import LMDB

/// Reads a generation block by block, each step in its own snapshot.
///
/// It verifies that the blocks are consecutive and sum to the published count. The caller ensures
/// that the generation is kept, by its lease or by the lock of its feed.
struct FeedScan {
  private let tables: StoreTables
  private let generation: PublishedGeneration
  /// The lineage of the file in which the generation was found.
  private let lineage: UInt64
  private var segment: Int
  /// The next record to read, counted within its segment.
  private var ordinal: UInt64
  /// The expected number of the next block; nil until the first has been read.
  private var number: UInt32?

  /// - Parameter lineage: the lineage of the environment before the generation was looked up
  init(
    _ tables: StoreTables, _ generation: PublishedGeneration, from position: Int = 0,
    lineage: UInt64? = nil
  ) {
    self.tables = tables
    self.generation = generation
    self.lineage = lineage ?? tables.environment.lineage
    (segment, ordinal) = generation.location(of: position)
    if ordinal == 0 { number = 0 }
  }

  /// Continues for the lifetime of one snapshot.
  ///
  /// - Parameter body: receives each record with its block and its position in the feed
  /// - Returns: whether there is more to read
  mutating func step(
    _ body: (BlockView, RecordView, Int) throws(StoreError) -> Bool
  ) throws(StoreError) -> Bool {
    guard moveToRecord() else { return false }
    do throws(StoreError) {
      return try tables.environment.read { transaction throws(StoreError) in
        try read(transaction, body)
      }
    } catch  where error.code == .damaged && tables.environment.lineage != lineage {
      // The blocks seem to be missing, but they were never in the restored file.
      throw .replacedWhileRead(tables.environment.path)
    }
  }

  /// Continues in a snapshot that the caller holds.
  mutating func step(
    in transaction: borrowing ReadTransaction,
    _ body: (BlockView, RecordView, Int) throws(StoreError) -> Bool
  ) throws(StoreError) -> Bool {
    guard moveToRecord() else { return false }
    return try read(transaction, body)
  }

  /// Skips segments without a record to read; returns false at the end of the feed.
  private mutating func moveToRecord() -> Bool {
    let segments = generation.row.segments
    while segment < segments.count, ordinal >= segments[segment].recordCount {
      segment += 1
      ordinal = 0
      number = 0
    }
    return segment < segments.count
  }

  private mutating func read(
    _ transaction: borrowing ReadTransaction,
    _ body: (BlockView, RecordView, Int) throws(StoreError) -> Bool
  ) throws(StoreError) -> Bool {
    let reader = generation.readers[segment]
    let start = generation.start(of: segment)
    let began = ContinuousClock.now
    do {
      var cursor = try transaction.cursor(tables.blocks)
      try reader.seek(&cursor, to: ordinal)
      var count = 0
      while true {
        let block = try reader.block(cursor)
        try verify(block, reader)
        block.touch()
        var index = Int(clamping: ordinal) - Int(clamping: block.firstOrdinal)
        while index < block.recordCount {
          let position = start + Int(clamping: ordinal)
          guard try body(block, try block.record(at: index), position) else { return false }
          index += 1
          ordinal += 1
          count += 1
        }
        if ordinal >= reader.segment.recordCount { return true }
        if count >= StoreFormat.snapshotRecords { return true }
        if ContinuousClock.now - began >= StoreFormat.snapshotAge { return true }
        guard try cursor.next() else { throw reader.missing }
      }
    } catch {
      throw StoreError(wrapping: error, path: tables.environment.path)
    }
  }

  /// Verifies that the block continues where the previous one ended, and does not exceed the
  /// segment.
  private mutating func verify(
    _ block: borrowing BlockView, _ reader: SegmentReader
  ) throws(StoreError) {
    let first = block.firstOrdinal
    let (end, overflow) = first.addingReportingOverflow(UInt64(block.recordCount))
    guard !overflow, first <= ordinal, ordinal < end, end <= reader.segment.recordCount,
      number == nil || (number == block.number && first == ordinal),
      end < reader.segment.recordCount
        || UInt64(block.number) + 1 == reader.segment.blockCount
    else { throw reader.missing }
    number = block.number &+ 1
  }
}
