/// The stretch of the input that is in memory: where it lies, and where it stands in the input.
struct InputWindow {
  /// A place in the input as people count: lines and columns from 1.
  struct Position {
    var line: Int
    /// The column in bytes.
    var column: Int
    /// The column in characters (Unicode code points).
    var characterColumn: Int
  }

  var segment: InputSegment
  /// Where it begins in the segment.
  var start = 0
  /// How many bytes it has.
  var count = 0
  /// The absolute offset of its first byte.
  var base = 0
  /// The lines before its first byte.
  var lines = LineCount() { didSet { counted = (base, lines) } }
  // Where the counting of lines goes on, so that a million errors do not count the same lines a
  // million times.
  private var counted = (offset: 0, lines: LineCount())

  init(_ segment: InputSegment) { self.segment = segment }

  /// A window of nothing.
  static let empty = InputWindow(InputSegment(capacity: 0))

  var bytes: UnsafeMutablePointer<UInt8> { segment.memory + start }

  /// The absolute offset behind the last byte.
  var end: Int { base + count }

  func text(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: bytes + range.lowerBound, count: range.count)
  }

  /// The position of an absolute offset, which must be in the window or right behind it.
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

  /// Up to 24 bytes before an absolute offset and 24 from it on, in one line, and where in that
  /// line, in characters, the offset is.
  func excerpt(around offset: Int) -> (text: String, caret: Int) {
    let local = min(max(offset - base, 0), count)
    let before = TerminalText.escaped(characters(max(0, local - 24)..<local))
    let behind = TerminalText.escaped(characters(local..<min(count, local + 24)))
    return (before + behind, before.count)
  }

  // Characters that the range cuts are left out at its ends; what is no UTF-8 shows as U+FFFD.
  private func characters(_ range: Range<Int>) -> String {
    var range = range
    while range.count > 0, bytes[range.lowerBound] & 0xC0 == 0x80, range.lowerBound > 0 {
      range = range.lowerBound + 1..<range.upperBound
    }
    var tail = range.upperBound
    while tail > range.lowerBound, range.upperBound - tail < 4, bytes[tail - 1] & 0xC0 == 0x80 {
      tail -= 1
    }
    if range.upperBound < count, tail > range.lowerBound, bytes[tail - 1] >= 0xC0 {
      range = range.lowerBound..<tail - 1
    }
    return String(decoding: text(range), as: UTF8.self)
  }
}
