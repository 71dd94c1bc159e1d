import CFeedScan

/// The part of the input that is in memory: its memory and its offset in the input.
struct InputWindow {
  /// A position in the input; lines and columns count from 1.
  struct Position {
    var line: Int
    /// The column in bytes.
    var column: Int
    /// The column in characters (Unicode code points).
    var characterColumn: Int
  }

  var segment: InputSegment
  /// The offset of its first byte in the segment.
  var start = 0
  /// How many bytes it has.
  var count = 0
  /// The absolute offset of its first byte.
  var base = 0
  /// The lines before its first byte.
  var lines = LineCount() { didSet { counted = (base, lines) } }
  // The lines counted so far, so that many errors do not count the same lines again.
  private var counted = (offset: 0, lines: LineCount())

  init(_ segment: InputSegment) { self.segment = segment }

  /// A window without bytes.
  static let empty = InputWindow(InputSegment(capacity: 0))

  var bytes: UnsafeMutablePointer<UInt8> { segment.memory + start }

  /// The absolute offset after the last byte.
  var end: Int { base + count }

  /// The window's bytes and special bytes, for lanes.
  var scannedText: feedscan_text {
    feedscan_text(chunk: bytes, specials: segment.specials, first_special: start)
  }

  func text(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: bytes + range.lowerBound, count: range.count)
  }

  /// The position of an absolute offset, which is in the window or right after it.
  mutating func position(of offset: Int) -> Position {
    let local = min(max(offset - base, 0), count)
    if base + local < counted.offset { counted = (base, lines) }
    counted.lines.advance(over: text(counted.offset - base..<local), at: counted.offset)
    counted.offset = base + local
    let column = offset - counted.lines.lineStart + 1
    return Position(
      line: counted.lines.newlines + 1, column: column,
      characterColumn: column - counted.lines.continuations)
  }

  /// Up to 24 bytes before an absolute offset and 24 from it on, in one line, and the position of
  /// the offset in it, in characters. Malformed UTF-8 becomes U+FFFD.
  func excerpt(around offset: Int) -> (text: String, caret: Int) {
    let local = min(max(offset - base, 0), count)
    // A character cut by either end is left out.
    var from = max(0, local - 24)
    while from > 0, from < local, isContinuation(from) { from += 1 }
    var to = min(count, local + 24)
    while to < count, to > local, isContinuation(to) { to -= 1 }
    let before = TerminalText.escaped(String(decoding: text(from..<local), as: UTF8.self))
    let after = TerminalText.escaped(String(decoding: text(local..<to), as: UTF8.self))
    return (before + after, before.count)
  }

  private func isContinuation(_ local: Int) -> Bool { bytes[local] & 0xC0 == 0x80 }
}

/// The lines before an offset in the input, and the start of the offset's line.
struct LineCount: Hashable {
  /// Line feeds before the offset.
  var newlines = 0
  /// The absolute offset of the first byte of its line.
  var lineStart = 0
  /// UTF-8 continuation bytes between that byte and the offset: bytes that begin no character.
  var continuations = 0

  /// Advances over bytes that begin at an absolute offset.
  mutating func advance(over bytes: UnsafeBufferPointer<UInt8>, at offset: Int) {
    let found = Self.newlines(in: bytes)
    newlines += found
    guard found > 0, let last = bytes.lastIndex(of: 0x0A) else {
      continuations += Self.continuations(in: bytes)
      return
    }
    lineStart = offset + last + 1
    continuations = Self.continuations(in: UnsafeBufferPointer(rebasing: bytes[(last + 1)...]))
  }

  // Plain loops: the compiler vectorizes them.
  static func newlines(in bytes: UnsafeBufferPointer<UInt8>) -> Int {
    var count = 0
    for byte in bytes { count &+= byte == 0x0A ? 1 : 0 }
    return count
  }

  static func continuations(in bytes: UnsafeBufferPointer<UInt8>) -> Int {
    var count = 0
    for byte in bytes { count &+= byte & 0xC0 == 0x80 ? 1 : 0 }
    return count
  }
}
