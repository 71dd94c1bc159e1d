import Synchronization

/// Numbers that threads read and set without waiting; 0 at first, and outside.
///
/// Each stands for itself: nothing is said about the order in which several are seen.
struct AtomicNumbers: Sendable {
  /// So few that a small feed, of which a process may know thousands, costs little memory.
  private typealias Numbers = InlineArray<128, Atomic<UInt64>>

  private final class Chunk: Sendable {
    let numbers = Numbers { _ in Atomic(0) }
  }

  private let chunks: [Chunk]

  /// - Parameter count: at least so many; at most 2^32.
  init(count: UInt64) {
    let chunkCount = (min(count, 1 << 32) + UInt64(Numbers.count) - 1) / UInt64(Numbers.count)
    chunks = (0..<chunkCount).map { _ in Chunk() }
  }

  subscript(_ index: UInt32) -> UInt64 {
    let (chunk, place) = Int(index).quotientAndRemainder(dividingBy: Numbers.count)
    return chunk < chunks.count ? chunks[chunk].numbers[place].load(ordering: .relaxed) : 0
  }

  func set(_ index: UInt32, _ number: UInt64) {
    let (chunk, place) = Int(index).quotientAndRemainder(dividingBy: Numbers.count)
    if chunk < chunks.count { chunks[chunk].numbers[place].store(number, ordering: .relaxed) }
  }
}
