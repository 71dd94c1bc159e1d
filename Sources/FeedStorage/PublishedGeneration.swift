import LMDB
import Synchronization

/// A published generation as readers use it; made once and kept, since it never changes.
final class PublishedGeneration: Sendable {
  let row: GenerationRow
  let description: FeedDescription
  /// For each segment, the blocks whose checksums this process has verified.
  let checks: [SegmentChecks]

  init(_ row: GenerationRow, envelope: [UInt8]) {
    self.row = row
    description = row.description(envelope: envelope)
    checks = row.segments.map { _ in SegmentChecks() }
  }

  /// Where a position of the feed lies; past the end, the end of the last segment.
  func place(of position: Int) -> (segment: Int, ordinal: UInt64) {
    var rest = UInt64(clamping: position)
    for (index, segment) in row.segments.enumerated() {
      if rest < segment.recordCount { return (index, rest) }
      rest -= segment.recordCount
    }
    return (row.segments.count, 0)
  }

  /// The position in the feed of a segment's first record.
  func start(of segment: Int) -> Int {
    Int(clamping: row.segments[..<segment].reduce(0) { $0 &+ $1.recordCount })
  }
}

/// Remembers which blocks of a segment have been verified.
///
/// A block is known by the key it is stored under, never by what it says of
/// itself: that is what a damaged one could get wrong.
final class SegmentChecks: Sendable {
  private let blocks = Mutex<Set<UInt64>>([])
  /// By the number of the index and that of the block.
  private let indexBlocks = Mutex<Set<UInt64>>([])

  func isVerified(block ordinal: UInt64) -> Bool {
    blocks.withLock { $0.contains(ordinal) }
  }

  func verified(block ordinal: UInt64) {
    blocks.withLock { _ = $0.insert(ordinal) }
  }

  func isVerified(indexBlock number: UInt32, of index: UInt8) -> Bool {
    indexBlocks.withLock { $0.contains(UInt64(index) << 32 | UInt64(number)) }
  }

  func verified(indexBlock number: UInt32, of index: UInt8) {
    indexBlocks.withLock { _ = $0.insert(UInt64(index) << 32 | UInt64(number)) }
  }
}
