import Foundation

/// Memory between two inaccessible pages. A read of a single byte beyond either edge ends the
/// process.
struct GuardedBytes: ~Copyable {
  private let base: UnsafeMutableRawPointer
  private let capacity: Int
  private let page: Int

  /// - Parameter capacity: rounded up to whole pages
  init(capacity: Int) throws {
    page = Int(sysconf(CInt(_SC_PAGESIZE)))
    self.capacity = (capacity + page - 1) / page * page
    let whole = self.capacity + 2 * page
    let memory = mmap(nil, whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let memory, memory != MAP_FAILED,
      mprotect(memory + page, self.capacity, PROT_READ | PROT_WRITE) == 0
    else { throw TortureFailure("no memory between guards: \(errno)") }
    base = memory + page
  }

  deinit { munmap(base - page, capacity + 2 * page) }

  /// Calls `body` with a copy of the bytes, which ends at the second guard or begins at the first.
  func with(_ bytes: [UInt8], atEnd: Bool, _ body: (RawSpan) -> Void) throws {
    try demand(bytes.count <= capacity, "\(bytes.count) bytes for room of \(capacity)")
    let start = atEnd ? base + (capacity - bytes.count) : base
    // The bytes lie between the guards, and the memory stays valid while the body runs.
    let target = UnsafeMutableRawBufferPointer(start: start, count: bytes.count)
    target.copyBytes(from: bytes)
    body(UnsafeRawBufferPointer(target).bytes)
  }
}
