/// Values in memory that is replaced by larger memory when necessary.
///
/// It is assigned and never mutated in place. For a mutation of an object's member, Swift would
/// check exclusive access at run time, which takes longer than the work here.
///
/// Safety: `start` points to `capacity` values. The owner counts the values that it has
/// initialized. They are trivial, so they may be overwritten or abandoned.
struct GrowingMemory<Value: BitwiseCopyable> {
  let start: UnsafeMutablePointer<Value>
  let capacity: Int

  init(capacity: Int) {
    start = .allocate(capacity: capacity)
    self.capacity = capacity
  }

  /// Larger memory with a copy of the first `kept` values; the old memory is freed.
  @inline(never)
  func grown(to total: Int, keeping kept: Int) -> Self {
    let grown = Self(capacity: max(total, 2 * capacity))
    grown.start.moveInitialize(from: start, count: kept)
    start.deallocate()
    return grown
  }

  /// Frees the memory; the owner calls this once.
  func deallocate() { start.deallocate() }
}
