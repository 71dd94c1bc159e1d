extension JSONCursor.Text {
  /// Whether the string has this value, given as UTF-8. Allocates only for a string with escapes.
  package func equals(_ value: [UInt8], in bytes: borrowing RawSpan) -> Bool {
    guard !isEscaped else { return decoded(in: bytes) == value }
    guard range.count == value.count, range.upperBound <= bytes.byteCount else { return false }
    for offset in value.indices where bytes.byte(at: range.lowerBound + offset) != value[offset] {
      return false
    }
    return true
  }

  /// The value of the string as UTF-8.
  package func decoded(in bytes: borrowing RawSpan) -> [UInt8] {
    var value: [UInt8] = []
    appendDecoded(in: bytes, to: &value)
    return value
  }

  /// The value of the string. Allocates.
  package func string(in bytes: borrowing RawSpan) -> String {
    String(decoding: decoded(in: bytes), as: UTF8.self)
  }

  /// Appends the value of the string as UTF-8. Half of a surrogate pair becomes U+FFFD. An escape
  /// that JSON does not define is appended without its backslash.
  package func appendDecoded(in bytes: borrowing RawSpan, to output: inout [UInt8]) {
    let end = min(range.upperBound, bytes.byteCount)
    var offset = min(range.lowerBound, end)
    output.reserveCapacity(output.count + end - offset)
    while offset < end {
      let byte = bytes.byte(at: offset)
      offset += 1
      guard byte == 0x5C, offset < end else {
        output.append(byte)
        continue
      }
      let escape = bytes.byte(at: offset)
      offset += 1
      if escape == 0x75, let unit = Self.unit(in: bytes, at: offset, end) {
        offset += 4
        let scalar = Self.scalar(unit, in: bytes, at: &offset, end)
        if let encoded = UTF8.encode(scalar) { output.append(contentsOf: encoded) }
      } else {
        output.append(Self.character(escape))
      }
    }
  }

  private static func character(_ escape: UInt8) -> UInt8 {
    switch escape {
    case 0x62: 0x08
    case 0x66: 0x0C
    case 0x6E: 0x0A
    case 0x72: 0x0D
    case 0x74: 0x09
    default: escape
    }
  }

  /// The four hexadecimal digits at an offset; nil if they are not there.
  private static func unit(in bytes: borrowing RawSpan, at offset: Int, _ end: Int) -> UInt32? {
    guard end - offset >= 4 else { return nil }
    var unit: UInt32 = 0
    for index in offset..<offset + 4 {
      let byte = bytes.byte(at: index)
      let digit: UInt8
      switch byte {
      case 0x30...0x39: digit = byte - 0x30
      case 0x41...0x46: digit = byte - 0x41 + 10
      case 0x61...0x66: digit = byte - 0x61 + 10
      default: return nil
      }
      unit = unit << 4 | UInt32(digit)
    }
    return unit
  }

  /// The character of a unit, and of the escape after it if both are a pair, which is consumed.
  private static func scalar(
    _ unit: UInt32, in bytes: borrowing RawSpan, at offset: inout Int, _ end: Int
  ) -> Unicode.Scalar {
    if let scalar = Unicode.Scalar(unit) { return scalar }
    guard unit < 0xDC00, end - offset >= 6, bytes.byte(at: offset) == 0x5C,
      bytes.byte(at: offset + 1) == 0x75, let low = Self.unit(in: bytes, at: offset + 2, end),
      0xDC00..<0xE000 ~= low,
      let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
    else { return "\u{FFFD}" }
    offset += 6
    return scalar
  }
}
