extension JSONText {
  /// Appends the UTF-8 of a valid JSON string, given without its quotes. Half of a surrogate pair
  /// becomes U+FFFD.
  package static func appendUnescaped(_ raw: borrowing RawSpan, to output: inout [UInt8]) {
    var place = 0
    let count = raw.byteCount
    while place < count {
      let byte = raw.byte(at: place)
      place += 1
      guard byte == 0x5C, place < count else {
        output.append(byte)
        continue
      }
      let escape = raw.byte(at: place)
      place += 1
      switch escape {
      case 0x62: output.append(0x08)
      case 0x66: output.append(0x0C)
      case 0x6E: output.append(0x0A)
      case 0x72: output.append(0x0D)
      case 0x74: output.append(0x09)
      case 0x75: appendUnit(raw, &place, to: &output)
      default: output.append(escape)
      }
    }
  }

  /// Appends the character of `\uXXXX`, or of two of them; `place` is that of the first digit.
  private static func appendUnit(
    _ raw: borrowing RawSpan, _ place: inout Int, to output: inout [UInt8]
  ) {
    guard let first = unit(raw, place) else {
      output += [0xEF, 0xBF, 0xBD]
      return
    }
    place += 4
    var scalar = UInt32(first)
    if (0xD800...0xDBFF).contains(first), place + 1 < raw.byteCount, raw.byte(at: place) == 0x5C,
      raw.byte(at: place + 1) == 0x75, let second = unit(raw, place + 2),
      (0xDC00...0xDFFF).contains(second)
    {
      place += 6
      scalar = 0x10000 + (scalar - 0xD800) << 10 + UInt32(second) - 0xDC00
    }
    let character = Unicode.Scalar(scalar) ?? "\u{FFFD}"
    output += UTF8.encode(character)?.map { $0 } ?? []
  }

  /// The number of four hexadecimal digits.
  private static func unit(_ raw: borrowing RawSpan, _ start: Int) -> UInt16? {
    guard start + 4 <= raw.byteCount else { return nil }
    var value: UInt16 = 0
    for place in start..<start + 4 {
      let byte = raw.byte(at: place)
      switch byte {
      case 0x30...0x39: value = value << 4 | UInt16(byte - 0x30)
      case 0x41...0x46, 0x61...0x66: value = value << 4 | UInt16((byte | 0x20) - 0x61 + 10)
      default: return nil
      }
    }
    return value
  }
}
