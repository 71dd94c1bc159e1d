import FeedRecord
import LMDB

/// Finds and verifies the blocks of one segment.
final class SegmentReader: Sendable {
  let tables: StoreTables
  let segment: Segment
  private let layout: RecordLayout
  /// The blocks whose checksums this process has verified.
  let verifiedBlocks: VerifiedBlocks
  /// The locations of the blocks in a mapping of the data file.
  let locations: BlockLocationCache

  init(
    _ tables: StoreTables, _ segment: Segment, _ layout: RecordLayout,
    _ verifiedBlocks: VerifiedBlocks,
    _ locations: BlockLocationCache
  ) {
    self.tables = tables
    self.segment = segment
    self.layout = layout
    self.verifiedBlocks = verifiedBlocks
    self.locations = locations
  }

  /// The same blocks in another mapping.
  func moved(to mapping: UInt) -> SegmentReader {
    SegmentReader(
      tables, segment, layout, verifiedBlocks,
      BlockLocationCache(segment, layout, verifiedBlocks, mapping: mapping))
  }

  /// Moves to the block that holds a record.
  @_lifetime(cursor: copy cursor)
  func seek(_ cursor: inout Cursor, to ordinal: UInt64) throws(StoreError) {
    let key = StoreKey.block(segment: segment.identifier, ordinal: ordinal)
    let isFound: Bool
    do throws(LMDBError) {
      isFound = try cursor.seek(atOrBefore: key.span.bytes)
    } catch {
      throw StoreError(error)
    }
    if !isFound { throw missing }
  }

  /// The block at the cursor, verified to be the one that its key names.
  @_lifetime(copy cursor)
  func block(_ cursor: borrowing Cursor) throws(StoreError) -> BlockView {
    let key = cursor.key
    guard key.byteCount == 16, key.bigEndian(at: 0, as: UInt64.self) == segment.identifier,
      let ordinal = key.bigEndian(at: 8, as: UInt64.self)
    else { throw missing }
    do throws(RecordError) {
      let view = try BlockView(cursor.value)
      if verifiedBlocks.contains(view), view.firstOrdinal == ordinal { return view }
      try view.verify(seed: tables.seed(segment: segment.identifier, number: view.number))
      guard view.firstOrdinal == ordinal, view.matches(layout), view.recordCount > 0
      else {
        throw RecordError(.damaged, "a block is at the position of another one")
      }
      verifiedBlocks.insert(view)
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

/// Remembers which blocks of a segment have been verified, so that each is verified once per
/// process.
///
/// A block is identified by its number and its checksum, which is unique in the store. The number
/// alone is not enough: a damaged page of the tree can lead to a block of another segment with the
/// same number.
final class VerifiedBlocks: Sendable {
  /// The checksum of each verified block by number. 0 means none, so a block with this checksum is
  /// never remembered.
  let blocks: AtomicNumbers
  /// The checksums of each index's verified blocks.
  let indexBlocks: [AtomicNumbers]

  /// - Parameter indexCount: the number of indexes, including that of the key.
  init(_ segment: Segment, indexCount: Int) {
    blocks = AtomicNumbers(count: segment.blockCount)
    let limit = segment.indexBlockLimit(indexCount: indexCount)
    indexBlocks = (0..<indexCount).map { _ in AtomicNumbers(count: limit) }
  }

  func contains(_ block: borrowing BlockView) -> Bool {
    blocks.holds(block.checksum, at: block.number)
  }

  func insert(_ block: borrowing BlockView) {
    blocks.set(block.number, block.checksum)
  }

  func contains(_ block: borrowing IndexBlockView, of index: UInt8) -> Bool {
    indexBlocks[Int(index)].holds(block.checksum, at: block.number)
  }

  func insert(_ block: borrowing IndexBlockView, of index: UInt8) {
    indexBlocks[Int(index)].set(block.number, block.checksum)
  }
}

extension AtomicNumbers {
  /// Whether a block with this checksum and number was verified.
  @inline(__always)
  func holds(_ checksum: UInt64, at number: UInt32) -> Bool {
    checksum != 0 && self[number] == checksum
  }
}

extension Segment {
  /// The maximum number of blocks of an index: all but the last one are full.
  func indexBlockLimit(indexCount: Int) -> UInt64 {
    byteCount / UInt64(BlockFormat.targetByteCount) + UInt64(indexCount)
  }
}
