import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Numbers that threads read and set without waiting. A number is 0 until it is set.
///
/// Accesses are relaxed: there is no order between different numbers. Memory that is never written
/// takes address space only, because the system allocates pages on first write. The count may be
/// much larger than needed.
///
/// `@unchecked Sendable`: the address and the count never change, the memory lives as long as the
/// object, and the numbers are accessed by atomic operations only.
package final class AtomicNumbers: @unchecked Sendable {
  private let count: Int
  /// Nil if the count is 0 or the system has no memory. Reads then return 0, and writes are
  /// ignored.
  private let numbers: UnsafeMutablePointer<Atomic<UInt64>>?

  /// - Parameter count: the number of values, at most 2^32
  package init(count: UInt64) {
    let wanted = Int(min(count, 1 << 32))
    let memory = wanted > 0 ? calloc(wanted, MemoryLayout<UInt64>.stride) : nil
    // Atomics have the layout of their values, so zeroed memory holds zeros.
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
