/// Page-aligned memory that a stretch of the input is read into.
///
/// Safety: the memory is freed by `deinit` alone. It is written only where no window that is
/// shared reaches: a buffer appends behind all that it has shown, and moves bytes only in a
/// segment that nobody else refers to. So it may be read by several threads at once.
final class InputSegment: @unchecked Sendable {
  /// The kernel copies a third faster to the beginning of a page than elsewhere.
  static let alignment = 4096
  /// Bytes behind the capacity that are there and mean nothing: words are loaded whole.
  static let padding = 64

  let memory: UnsafeMutablePointer<UInt8>
  let capacity: Int

  init(capacity: Int) {
    let raw = UnsafeMutableRawPointer.allocate(
      byteCount: capacity + Self.padding, alignment: Self.alignment)
    (raw + capacity).initializeMemory(as: UInt8.self, repeating: 0, count: Self.padding)
    memory = raw.bindMemory(to: UInt8.self, capacity: capacity + Self.padding)
    self.capacity = capacity
  }

  deinit { UnsafeMutableRawPointer(memory).deallocate() }
}
