@_spi(Records) import JSONStream

/// Hyphenated UUIDs (RFC 9562, section 4).
package enum UUIDText {
  /// The 16 bytes of a UUID in two halves, most significant first; nil if the text is none.
  package static func parse(_ text: borrowing RawSpan) -> (high: UInt64, low: UInt64)? {
    guard text.byteCount == 36 else { return nil }
    var halves: (high: UInt64, low: UInt64) = (0, 0)
    var digits = 0
    for offset in 0..<36 {
      let byte = text.byte(at: offset)
      if offset == 8 || offset == 13 || offset == 18 || offset == 23 {
        guard byte == 0x2D else { return nil }
        continue
      }
      let value: UInt8
      switch byte {
      case 0x30...0x39: value = byte - 0x30
      case 0x41...0x46: value = byte - 0x41 + 10
      case 0x61...0x66: value = byte - 0x61 + 10
      default: return nil
      }
      if digits < 16 {
        halves.high = halves.high << 4 | UInt64(value)
      } else {
        halves.low = halves.low << 4 | UInt64(value)
      }
      digits += 1
    }
    return halves
  }

  /// The text of a UUID, digits in upper case.
  package static func text(high: UInt64, low: UInt64) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(36)
    for digit in 0..<32 {
      if digit == 8 || digit == 12 || digit == 16 || digit == 20 { result.append(0x2D) }
      let half = digit < 16 ? high : low
      let value = UInt8(truncatingIfNeeded: half >> UInt64(60 - 4 * (digit % 16))) & 0xF
      result.append(value < 10 ? 0x30 + value : 0x41 + value - 10)
    }
    return result
  }

  /// The 16 bytes themselves, the form in which a key is hashed.
  package static func bytes(high: UInt64, low: UInt64) -> [16 of UInt8] {
    [16 of UInt8] { index in
      let half = index < 8 ? high : low
      return UInt8(truncatingIfNeeded: half >> UInt64(56 - 8 * (index % 8)))
    }
  }
}
