@_spi(Records) import JSONStream

/// Numbers in JSON notation, independent of the locale.
package enum NumberText {
  /// A 64-bit integer; nil if the text has a fraction or an exponent, or is out of range.
  package static func integer(_ text: borrowing RawSpan) -> Int64? {
    let isNegative = text.byteCount > 0 && text.byte(at: 0) == 0x2D
    var value: Int64 = 0
    for place in (isNegative ? 1 : 0)..<text.byteCount {
      let byte = text.byte(at: place)
      guard (0x30...0x39).contains(byte) else { return nil }
      let (scaled, overflow) = value.multipliedReportingOverflow(by: 10)
      let digit = Int64(byte - 0x30)
      let (next, carry) = scaled.addingReportingOverflow(isNegative ? -digit : digit)
      if overflow || carry { return nil }
      value = next
    }
    return value
  }

  /// A finite number, rounded to the nearest `Double`; nil if it is out of range.
  package static func number(_ text: borrowing RawSpan) -> Double? {
    if let exact = exactNumber(text) { return exact }
    // The standard library parses numbers independently of the locale.
    let digits = text.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    guard let value = Double(digits), value.isFinite else { return nil }
    return value
  }

  /// A number whose digits and power of ten are both exact as a `Double`. One multiplication or
  /// division then rounds once, which is correct; nil for any other. Nearly every number that
  /// people write is one (Clinger, "How to read floating point numbers accurately", 1990).
  private static func exactNumber(_ text: borrowing RawSpan) -> Double? {
    let isNegative = text.byteCount > 0 && text.byte(at: 0) == 0x2D
    var place = isNegative ? 1 : 0
    var digits: UInt64 = 0
    var exponent = 0
    var isBehindPoint = false
    while place < text.byteCount, text.byte(at: place) | 0x20 != 0x65 {
      let byte = text.byte(at: place)
      place += 1
      if byte == 0x2E {
        isBehindPoint = true
        continue
      }
      guard (0x30...0x39).contains(byte), digits <= 1 << 49 else { return nil }
      digits = digits * 10 + UInt64(byte - 0x30)
      if isBehindPoint { exponent -= 1 }
    }
    if place < text.byteCount {
      guard let written = integer(text.extracting(exponentStart(text, behind: place)...)) else {
        return nil
      }
      exponent += Int(clamping: min(max(written, -1000), 1000))
    }
    guard digits <= 1 << 53, exponent.magnitude < powersOfTen.count else { return nil }
    let power = powersOfTen[Int(exponent.magnitude)]
    let value = exponent < 0 ? Double(digits) / power : Double(digits) * power
    return isNegative ? -value : value
  }

  // The position after the letter and a plus sign. A minus sign is part of the number.
  private static func exponentStart(_ text: borrowing RawSpan, behind letter: Int) -> Int {
    let start = letter + 1
    return start < text.byteCount && text.byte(at: start) == 0x2B ? start + 1 : start
  }

  // Each value is exact: 5^22 has 52 bits.
  private static let powersOfTen = (0...22).map { exponent in
    (0..<exponent).reduce(1.0) { power, _ in power * 10 }
  }
}
