@_spi(Records) import JSONStream

/// Numbers as JSON writes them, whatever the locale.
enum NumberText {
  /// A whole number of 64 bits; nil if the text has a fraction or an exponent, or is out of
  /// range.
  static func integer(_ text: borrowing RawSpan) -> Int64? {
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

  /// A finite number; nil if it is out of range.
  static func number(_ text: borrowing RawSpan) -> Double? {
    // The standard library reads numbers without regard to the locale.
    let digits = text.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    guard let value = Double(digits), value.isFinite else { return nil }
    return value
  }
}
