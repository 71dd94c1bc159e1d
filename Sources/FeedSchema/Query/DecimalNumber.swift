@_spi(Records) import JSONStream

/// A JSON number by its decimal digits, so that it is compared without rounding.
package struct DecimalNumber: Sendable, Hashable {
  private let isNegative: Bool
  /// The value is `0.digits` times ten to this power.
  private let exponent: Int
  /// Without zeros at the start and the end; empty for zero.
  private let digits: [UInt8]
  /// The nearest `Double`; nil if it is out of range.
  private let rounded: Double?

  /// - Parameter text: a valid JSON number
  package init(_ text: borrowing RawSpan) {
    rounded = NumberText.number(text)
    var place = text.byteCount > 0 && text.byte(at: 0) == 0x2D ? 1 : 0
    let hasSign = place == 1
    var digits: [UInt8] = []
    var exponent = 0
    var isBehindPoint = false
    while place < text.byteCount, text.byte(at: place) | 0x20 != 0x65 {
      let byte = text.byte(at: place)
      place += 1
      if byte == 0x2E {
        isBehindPoint = true
      } else if digits.isEmpty, byte == 0x30 {
        if isBehindPoint { exponent -= 1 }
      } else {
        digits.append(byte)
        if !isBehindPoint { exponent += 1 }
      }
    }
    while digits.last == 0x30 { digits.removeLast() }
    if place < text.byteCount { exponent += Self.power(text.extracting((place + 1)...)) }
    self.exponent = digits.isEmpty ? 0 : exponent
    isNegative = hasSign && !digits.isEmpty
    self.digits = digits
  }

  /// The exponent after its letter. Digits after a value of 2^52 are dropped: no text has that many
  /// digits.
  private static func power(_ text: borrowing RawSpan) -> Int {
    let sign = text.byteCount > 0 ? text.byte(at: 0) : 0
    var value = 0
    for place in (sign == 0x2B || sign == 0x2D ? 1 : 0)..<text.byteCount where value < 1 << 52 {
      value = value * 10 + Int(text.byte(at: place) & 0x0F)
    }
    return sign == 0x2D ? -value : value
  }

  /// How a JSON number compares with this one: negative if it is smaller, zero if both are equal.
  /// Allocates only if both round to the same `Double`.
  package func order(of text: borrowing RawSpan) -> Int {
    if let other = NumberText.number(text), let rounded, other != rounded {
      return other < rounded ? -1 : 1
    }
    return DecimalNumber(text).order(to: self)
  }

  func order(to other: DecimalNumber) -> Int {
    guard sign == other.sign else { return sign < other.sign ? -1 : 1 }
    let smaller = isNegative ? 1 : -1
    guard exponent == other.exponent else {
      return exponent < other.exponent ? smaller : -smaller
    }
    guard digits != other.digits else { return 0 }
    return digits.lexicographicallyPrecedes(other.digits) ? smaller : -smaller
  }

  private var sign: Int { digits.isEmpty ? 0 : isNegative ? -1 : 1 }

  /// Whether a text is a number by the grammar of JSON (RFC 8259, section 6).
  package static func isNumber(_ text: borrowing RawSpan) -> Bool {
    var place = 0
    func digits() -> Int {
      let start = place
      while place < text.byteCount, 0x30...0x39 ~= text.byte(at: place) { place += 1 }
      return place - start
    }
    func take(_ bytes: [UInt8]) -> Bool {
      guard place < text.byteCount, bytes.contains(text.byte(at: place)) else { return false }
      place += 1
      return true
    }
    _ = take([0x2D])
    let start = place
    let whole = digits()
    guard whole == 1 || whole > 1 && text.byte(at: start) != 0x30 else { return false }
    if take([0x2E]), digits() == 0 { return false }
    if take([0x45, 0x65]) {
      _ = take([0x2B, 0x2D])
      if digits() == 0 { return false }
    }
    return place == text.byteCount
  }
}
