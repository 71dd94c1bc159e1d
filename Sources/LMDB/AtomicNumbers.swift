import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Numbers that threads read and set without waiting; 0 at first, and outside.
///
/// Each stands for itself: nothing is said about the order in which several are seen. What is never
/// set takes address space alone, since the system gives a large piece of memory as it is first
/// written: there may be many more numbers than will be needed.
///
/// `@unchecked Sendable`: address and count never change, the memory stays until the object goes,
/// and its numbers are touched by atomic operations alone.
package final class AtomicNumbers: @unchecked Sendable {
  private let count: Int
  /// Nil where there are none, and where the system has no memory: then nothing is remembered.
  private let numbers: UnsafeMutablePointer<Atomic<UInt64>>?

  /// - Parameter count: how many; no more than 2^32 are kept.
  package init(count: UInt64) {
    let wanted = Int(min(count, 1 << 32))
    let memory = wanted > 0 ? calloc(wanted, MemoryLayout<UInt64>.stride) : nil
    // Atomics are laid out like their values, and zeros are zeros.
    numbers = memory?.bindMemory(to: Atomic<UInt64>.self, capacity: wanted)
    self.count = numbers == nil ? 0 : wanted
  }

  deinit { free(numbers) }

  package subscript(_ index: UInt32) -> UInt64 {
    guard let numbers, Int(index) < count else { return 0 }
    return numbers[Int(index)].load(ordering: .relaxed)
  }

  package func set(_ index: UInt32, _ number: UInt64) {
    guard let numbers, Int(index) < count else { return }
    numbers[Int(index)].store(number, ordering: .relaxed)
  }
}
