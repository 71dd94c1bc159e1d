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

  /// The window's bytes and special bytes, for replay.
  var scannedText: feedscan_text {
    feedscan_text(chunk: bytes, specials: segment.specials, first_special: start)
  }

  func text(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: bytes + range.lowerBound, count: range.count)
  }

  /// The position of an absolute offset, which is in the window or right after it.
  mutating func position(of offset: Int) -> Position {
    let place = min(max(offset - base, 0), count)
    if base + place < counted.offset { counted = (base, lines) }
    counted.lines.advance(over: text(counted.offset - base..<place), at: counted.offset)
    counted.offset = base + place
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
    let behind = TerminalText.escaped(String(decoding: text(local..<to), as: UTF8.self))
    return (before + behind, before.count)
  }

  private func isContinuation(_ place: Int) -> Bool { bytes[place] & 0xC0 == 0x80 }
}
