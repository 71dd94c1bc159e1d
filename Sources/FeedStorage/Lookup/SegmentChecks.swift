import FeedRecord
import LMDB

/// Remembers which blocks of a segment have been verified, so that each is verified once per
/// process.
///
/// A block is identified by its number and its checksum, which is unique in the store. The number
/// alone is not enough: a damaged page of the tree can lead to a block of another segment with the
/// same number.
final class SegmentChecks: Sendable {
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

  func isVerified(_ block: borrowing BlockView) -> Bool {
    blocks.holds(block.checksum, at: block.number)
  }

  func verified(_ block: borrowing BlockView) {
    blocks.set(block.number, block.checksum)
  }

  func isVerified(_ block: borrowing IndexBlockView, of index: UInt8) -> Bool {
    indexBlocks[Int(index)].holds(block.checksum, at: block.number)
  }

  func verified(_ block: borrowing IndexBlockView, of index: UInt8) {
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
