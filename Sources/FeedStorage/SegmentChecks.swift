import FeedRecord

/// Remembers which blocks of a segment have been verified, so that each is once a process.
///
/// A block is known by the key it is stored under, never by what it says of
/// itself alone: that is what a damaged one could get wrong.
final class SegmentChecks: Sendable {
  /// For the number of a block the ordinal of its first record, and one more.
  private let blocks: AtomicNumbers
  /// For each index, for the number of a block 1.
  private let indexBlocks: [AtomicNumbers]

  /// - Parameter indexCount: that of the key included.
  init(_ segment: Segment, indexCount: Int) {
    blocks = AtomicNumbers(count: segment.blockCount)
    // All blocks of an index are full but the last one.
    let limit = segment.byteCount / UInt64(BlockFormat.targetByteCount) + UInt64(indexCount)
    indexBlocks = (0..<indexCount).map { _ in AtomicNumbers(count: limit) }
  }

  /// Whether the block under an ordinal's key was verified, and had this number.
  func isVerified(block number: UInt32, at ordinal: UInt64) -> Bool {
    ordinal < UInt32.max && blocks[number] == UInt32(ordinal) + 1
  }

  func verified(block number: UInt32, at ordinal: UInt64) {
    if ordinal < UInt32.max { blocks.set(number, UInt32(ordinal) + 1) }
  }

  func isVerified(indexBlock number: UInt32, of index: UInt8) -> Bool {
    indexBlocks[Int(index)][number] == 1
  }

  func verified(indexBlock number: UInt32, of index: UInt8) {
    indexBlocks[Int(index)].set(number, 1)
  }
}
