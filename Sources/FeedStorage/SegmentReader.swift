import FeedRecord
import LMDB

/// Finds and proves the blocks of one segment in one snapshot.
struct SegmentReader {
  let tables: StoreTables
  let segment: Segment
  private let generation: PublishedGeneration
  let checks: SegmentChecks

  init(_ tables: StoreTables, _ generation: PublishedGeneration, _ segment: Int) {
    self.tables = tables
    self.segment = generation.row.segments[segment]
    self.generation = generation
    checks = generation.checks[segment]
  }

  /// Moves to the block that holds a record.
  @_lifetime(cursor: copy cursor)
  func seek(_ cursor: inout Cursor, to ordinal: UInt64) throws(StoreError) {
    let key = StoreKey.block(segment: segment.identifier, ordinal: ordinal)
    let isThere: Bool
    do throws(LMDBError) {
      isThere = try cursor.seek(atOrBefore: key.span.bytes)
    } catch {
      throw StoreError(error)
    }
    if !isThere { throw missing }
  }

  /// The block where the cursor stands, proved to be the one its key names.
  @_lifetime(copy cursor)
  func block(_ cursor: borrowing Cursor) throws(StoreError) -> BlockView {
    let key = cursor.key
    guard key.byteCount == 16, key.bigEndian(at: 0, as: UInt64.self) == segment.identifier,
      let ordinal = key.bigEndian(at: 8, as: UInt64.self)
    else { throw missing }
    do throws(RecordError) {
      let view = try BlockView(cursor.value)
      if checks.isVerified(view), view.firstOrdinal == ordinal { return view }
      try view.verify(seed: tables.seed(segment: segment.identifier, number: view.number))
      guard view.firstOrdinal == ordinal, view.matches(generation.row.layout), view.recordCount > 0
      else {
        throw RecordError(.damaged, "a block lies where another one belongs")
      }
      checks.verified(view)
      return view
    } catch {
      throw StoreError(error, path: tables.environment.path)
    }
  }

  var missing: StoreError {
    StoreError(
      .damaged, "blocks of a feed are missing; delete the feed and ingest again",
      path: tables.environment.path)
  }
}
