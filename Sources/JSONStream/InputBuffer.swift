import CFeedScan

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The window of the input that the parser can still see: bytes move in at the end and out at
/// the front, and a record that does not fit makes the window grow.
///
/// Offsets into the buffer are plain integers from `base`; absolute offsets count from the start
/// of the input.
struct InputBuffer: ~Copyable {
  /// Bytes asked of one `read`. More buys 2 % and costs cache.
  static let chunk = 1 << 20

  // Owned: allocated here, freed in `deinit`, never handed out beyond a call.
  private(set) var bytes: UnsafeMutablePointer<UInt8>
  private(set) var capacity: Int
  /// How many bytes are in the buffer.
  private(set) var count = 0
  /// The absolute offset of the first of them.
  private(set) var base = 0
  /// How many bytes the gate has passed.
  private(set) var clean = 0
  /// Line feeds among all bytes the gate has passed, those that have left the buffer included.
  private var newlines = 0
  /// Line feeds among the bytes that have left the buffer.
  private var lostNewlines = 0
  /// An offset in the buffer and the line feeds before it: where the counting of lines goes on,
  /// so that a million errors do not count the same lines a million times.
  private var counted = (place: 0, newlines: 0, lineStart: 0)
  /// The absolute offset behind the last line feed that has left the buffer.
  private var lostLineStart = 0

  init() {
    capacity = Self.chunk + (64 << 10)
    bytes = .allocate(capacity: capacity)
  }

  deinit { bytes.deallocate() }

  /// The absolute offset behind the last byte.
  var end: Int { base + count }

  /// Makes room for at least one more byte and at most a chunk, and lets `fill` write there.
  /// `fill` returns how many bytes it wrote.
  mutating func append<Failure: Error>(
    atMost limit: Int = chunk,
    _ fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
  ) throws(Failure) -> Int {
    let wanted = min(limit, Self.chunk)
    if capacity - count < wanted {
      resize(to: max(count + wanted, min(2 * count, count + 4 * Self.chunk)))
    }
    let space = UnsafeMutableRawBufferPointer(start: bytes + count, count: wanted)
    let filled = try fill(space)
    count += filled
    return filled
  }

  /// Drops the first `length` bytes, which the gate has passed.
  mutating func discard(_ length: Int) {
    guard length > 0 else { return }
    let lost = newlines - newlines(in: length..<clean)
    if lost != lostNewlines, let last = lastNewline(before: length) {
      lostLineStart = base + last + 1
    }
    lostNewlines = lost
    counted = (0, lost, lostLineStart)
    count -= length
    clean -= length
    base += length
    memmove(bytes, bytes + length, count)
    if capacity > 4 * Self.chunk, count < Self.chunk { resize(to: Self.chunk + (64 << 10) + count) }
  }

  private mutating func resize(to newCapacity: Int) {
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: newCapacity)
    larger.update(from: bytes, count: count)
    bytes.deallocate()
    bytes = larger
    capacity = newCapacity
  }

  /// Shows the gate at most `length` bytes that it has not passed yet.
  mutating func gate(_ length: Int, kernel: feedscan_kernel) -> feedscan_verdict {
    let result = feedscan_gate(bytes + clean, min(length, count - clean), kernel)
    clean += result.clean
    newlines += result.newlines
    return result.verdict
  }

  /// Passes the rest unseen: the end of the input has cut an escape, which YAJL will find.
  mutating func passRest() { passUnseen(to: count) }

  /// Passes bytes that nobody will read.
  mutating func passUnseen(to end: Int) {
    newlines += newlines(in: clean..<end)
    clean = end
  }

  private func lastNewline(before offset: Int) -> Int? {
    var place = offset
    while place > 0 {
      place -= 1
      if bytes[place] == 0x0A { return place }
    }
    return nil
  }

  /// The line and the column of an absolute offset, both from 1. The offset must be in the
  /// buffer or right behind it.
  mutating func position(of offset: Int) -> (line: Int, column: Int) {
    let place = min(max(offset - base, 0), count)
    if place < counted.place { counted = (0, lostNewlines, lostLineStart) }
    for step in counted.place..<place where bytes[step] == 0x0A {
      counted.newlines += 1
      counted.lineStart = base + step + 1
    }
    counted.place = place
    return (counted.newlines + 1, offset - counted.lineStart + 1)
  }

  private func newlines(in range: Range<Int>) -> Int {
    var count = 0
    for place in range where bytes[place] == 0x0A { count += 1 }
    return count
  }

  /// Up to 24 bytes before an absolute offset and 24 from it on, in one line.
  func excerpt(around offset: Int) -> String {
    let local = min(max(offset - base, 0), count)
    let from = max(0, local - 24)
    let to = min(count, local + 24)
    let text = String(
      decoding: UnsafeBufferPointer(start: bytes + from, count: to - from), as: UTF8.self)
    return TerminalText.escaped(text)
  }
}
