import FeedRecord
import LMDB

/// Remembers which blocks of a segment have been verified, so that each is once a process.
///
/// A block is known by its number and its checksum, which no other block of the store has: a damaged
/// page of the tree can lead to the block of another segment under the key of one of this, with the
/// same number in it.
final class SegmentChecks: Sendable {
  /// For the number of a block its checksum; 0 for none, so that one with this is never remembered.
  let blocks: AtomicNumbers
  /// The same for each index.
  let indexBlocks: [AtomicNumbers]

  /// - Parameter indexCount: that of the key included.
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
  /// Whether a block of this checksum and number was verified.
  @inline(__always)
  func holds(_ checksum: UInt64, at number: UInt32) -> Bool {
    checksum != 0 && self[number] == checksum
  }
}

extension Segment {
  /// At most so many blocks an index has: all are full but the last one.
  func indexBlockLimit(indexCount: Int) -> UInt64 {
    byteCount / UInt64(BlockFormat.targetByteCount) + UInt64(indexCount)
  }
}
