@_spi(Records) import JSONStream

/// Hyphenated UUIDs (RFC 9562, section 4).
package enum UUIDText {
  /// The 16 bytes of a UUID in two halves, most significant first; nil if the text is none.
  package static func parse(_ text: borrowing RawSpan) -> (high: UInt64, low: UInt64)? {
    // All that is loaded below lies within these, and is bounds-checked.
    guard text.byteCount == 36, text.byte(at: 8) == 0x2D, text.byte(at: 13) == 0x2D,
      text.byte(at: 18) == 0x2D, text.byte(at: 23) == 0x2D,
      let first = number(text.unsafeLoadUnaligned(as: UInt64.self)),
      let second = number(joined(text, 9, 14)), let third = number(joined(text, 19, 24)),
      let last = number(text.unsafeLoadUnaligned(fromByteOffset: 28, as: UInt64.self))
    else { return nil }
    return (first << 32 | second, third << 32 | last)
  }

  /// Four bytes from each of two places, in the order of memory.
  private static func joined(_ text: borrowing RawSpan, _ first: Int, _ second: Int) -> UInt64 {
    let low = text.unsafeLoadUnaligned(fromByteOffset: first, as: UInt32.self).littleEndian
    let high = text.unsafeLoadUnaligned(fromByteOffset: second, as: UInt32.self).littleEndian
    return (UInt64(high) << 32 | UInt64(low)).littleEndian
  }

  /// The number that eight hexadecimal digits are, as they lie in memory; nil if one is none.
  ///
  /// All eight at once, because a branch for each digit is guessed wrong every other time: that took
  /// two fifths of the time of an image feed. A sum's top bit in a byte says whether the byte
  /// reaches a bound, and no sum of bytes below 0x80 carries into the next.
  private static func number(_ word: UInt64) -> UInt64? {
    let text = word.bigEndian
    let tops = repeated(0x80)
    let folded = text | repeated(0x20)
    let isDigit = (text &+ repeated(0x80 - 0x30)) & ~(text &+ repeated(0x7F - 0x39)) & tops
    let isLetter = (folded &+ repeated(0x80 - 0x61)) & ~(folded &+ repeated(0x7F - 0x66)) & tops
    guard text & tops == 0, isDigit | isLetter == tops else { return nil }
    let digits = (text & repeated(0x0F)) &+ (isLetter >> 7) &* 9
    let pairs = (digits | digits >> 4) & 0x00FF_00FF_00FF_00FF
    let fours = (pairs | pairs >> 8) & 0x0000_FFFF_0000_FFFF
    return (fours | fours >> 16) & 0xFFFF_FFFF
  }

  /// The same byte eight times.
  private static func repeated(_ byte: UInt64) -> UInt64 { byte &* 0x0101_0101_0101_0101 }

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
