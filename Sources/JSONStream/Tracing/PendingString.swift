/// The state of an unfinished string: the bytes of its value so far, up to its end or its first
/// illegal byte.
struct PendingString {
  private enum StringState {
    case plain
    case escape
    case digits(Int, value: UInt32)
    /// The string has ended, or is malformed.
    case over
  }

  /// Bytes of the value, unescaped.
  private(set) var valueBytes = 0
  private var state = StringState.plain

  /// Reads the next bytes, starting after the opening quote.
  ///
  /// - Returns: true if the string continues after these bytes.
  mutating func advance(over bytes: some Sequence<UInt8>) -> Bool {
    for byte in bytes {
      switch state {
      case .over: return false
      case .plain: takePlain(byte)
      case .escape: takeEscape(byte)
      case .digits(let count, let value): takeDigit(byte, after: count, value)
      }
    }
    if case .over = state { return false }
    return true
  }

  private mutating func takePlain(_ byte: UInt8) {
    switch byte {
    case 0x22, 0..<0x20: state = .over
    case 0x5C: state = .escape
    default: valueBytes += 1
    }
  }

  private mutating func takeEscape(_ byte: UInt8) {
    switch byte {
    case 0x75: state = .digits(0, value: 0)
    case 0x22, 0x5C, 0x2F, 0x62, 0x66, 0x6E, 0x72, 0x74:
      valueBytes += 1
      state = .plain
    default: state = .over
    }
  }

  private mutating func takeDigit(_ byte: UInt8, after count: Int, _ value: UInt32) {
    let digit: UInt8
    switch byte {
    case 0x30...0x39: digit = byte - 0x30
    case 0x41...0x46, 0x61...0x66: digit = (byte | 0x20) - 0x57
    default:
      state = .over
      return
    }
    let value = value << 4 | UInt32(digit)
    guard count == 3 else {
      state = .digits(count + 1, value: value)
      return
    }
    state = .plain
    valueBytes += Self.byteCount(value)
  }

  // A surrogate pair is one character of four bytes.
  private static func byteCount(_ unit: UInt32) -> Int {
    switch unit {
    case 0..<0x80: 1
    case 0..<0x800: 2
    case 0xD800..<0xDC00: 0
    case 0xDC00..<0xE000: 4
    default: 3
    }
  }
}
