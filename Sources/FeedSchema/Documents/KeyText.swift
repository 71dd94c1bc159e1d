@_spi(Records) import JSONStream

/// The bytes by which the scalars of documents are looked up.
///
/// A string is its UTF-8, `true` and `false` are themselves, and a number is its shortest decimal, so
/// that `1`, `1.0` and `1e0` are one key. A decimal that would be long is written with an exponent:
/// `1e-400` for `10e-401`. Numbers are never rounded.
enum KeyText {
  /// The maximum number of digits of a number with a fraction that is written without an exponent.
  private static let maximumDigits = 40
  /// The same for a whole number that is written with an exponent or a fraction. Written otherwise,
  /// its digits are its key, however many.
  private static let maximumWholeDigits = 1_000

  /// True if a number is a whole number without an exponent, so that its digits are its key.
  static func isCanonical(_ digits: borrowing RawSpan) -> Bool {
    let count = digits.byteCount
    let start = count > 0 && digits.byte(at: 0) == 0x2D ? 1 : 0
    // Minus zero is zero.
    if start == 1, count == 2, digits.byte(at: 1) == 0x30 { return false }
    for place in start..<count where !(0x30...0x39).contains(digits.byte(at: place)) {
      return false
    }
    return true
  }

  /// Appends the shortest decimal of a valid JSON number.
  static func append(_ number: borrowing RawSpan, to output: inout [UInt8]) {
    guard let canonical = canonical(number) else {
      return number.withUnsafeBytes { output.append(contentsOf: $0) }
    }
    output += canonical
  }

  /// Nil for an exponent of more than 64 bits.
  private static func canonical(_ number: borrowing RawSpan) -> [UInt8]? {
    var place = 0
    let isNegative = number.byteCount > 0 && number.byte(at: 0) == 0x2D
    if isNegative { place = 1 }
    var digits: [UInt8] = []
    // The number of digits before the decimal point.
    var point: Int?
    while place < number.byteCount, number.byte(at: place) | 0x20 != 0x65 {
      let byte = number.byte(at: place)
      if byte == 0x2E { point = digits.count } else { digits.append(byte) }
      place += 1
    }
    var whole = point ?? digits.count
    let leading = digits.prefix { $0 == 0x30 }.count
    digits.removeFirst(leading)
    whole -= leading
    while digits.last == 0x30 { digits.removeLast() }
    guard !digits.isEmpty else { return [0x30] }
    if place < number.byteCount {
      let plus = place + 1 < number.byteCount && number.byte(at: place + 1) == 0x2B ? 2 : 1
      guard let exponent = NumberText.integer(number.extracting((place + plus)...)),
        exponent.magnitude < 1 << 62
      else { return nil }
      whole += Int(exponent)
    }
    return (isNegative ? [0x2D] : []) + decimal(digits, whole)
  }

  /// - Parameters:
  ///   - digits: without zeros at either end
  ///   - whole: the number of digits before the decimal point; negative for zeros after it
  private static func decimal(_ digits: [UInt8], _ whole: Int) -> [UInt8] {
    if whole >= digits.count, whole <= maximumWholeDigits {
      return digits + repeatElement(0x30, count: whole - digits.count)
    }
    guard whole < digits.count, digits.count - min(whole, 0) <= maximumDigits else {
      return digits + "e\(whole - digits.count)".utf8
    }
    if whole > 0 { return digits[..<whole] + [0x2E] + digits[whole...] }
    return [0x30, 0x2E] + repeatElement(0x30, count: -whole) + digits
  }
}
