/// Values in memory that is replaced by larger memory where there has to be more of it.
///
/// It is assigned and never changed in place, because Swift would check at run time that a change in
/// place of an object's member meets no other one, which takes longer than what is done here.
///
/// Safety: `start` leads to `capacity` values, of which the owner has written those that it counts.
/// They are plain bits, so nothing is owed to them when they are written over or left behind.
struct GrowingMemory<Value: BitwiseCopyable> {
  let start: UnsafeMutablePointer<Value>
  let capacity: Int

  init(capacity: Int) {
    start = .allocate(capacity: capacity)
    self.capacity = capacity
  }

  /// Larger memory with the first `kept` values; what they were in is freed.
  @inline(never)
  func grown(to total: Int, keeping kept: Int) -> Self {
    let grown = Self(capacity: max(total, 2 * capacity))
    grown.start.moveInitialize(from: start, count: kept)
    start.deallocate()
    return grown
  }

  /// Frees it; the owner does so once, at its end.
  func deallocate() { start.deallocate() }
}
