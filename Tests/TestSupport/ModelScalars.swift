/// A JSON number by its digits, for naive comparisons.
struct ModelNumber {
  private let isNegative: Bool
  /// The value without its sign is this whole number times ten to `exponent`.
  private let digits: [UInt8]
  private let exponent: Int

  /// Nil if the text is not a JSON number.
  init?(_ text: String) {
    let isNegative = text.hasPrefix("-")
    let parts = text.dropFirst(isNegative ? 1 : 0).split(
      omittingEmptySubsequences: false, whereSeparator: { $0 == "e" || $0 == "E" })
    let decimals = parts[0].split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= 2, decimals.count <= 2, decimals.allSatisfy(Self.areDigits),
      decimals[0].count == 1 || !decimals[0].hasPrefix("0")
    else { return nil }
    var exponent = 0
    if parts.count == 2 {
      let sign = parts[1].first.map { "+-".contains($0) } ?? false
      guard Self.areDigits(parts[1].dropFirst(sign ? 1 : 0)), let power = Int(parts[1])
      else { return nil }
      exponent = power
    }
    self.isNegative = isNegative
    self.exponent = exponent - (decimals.count == 2 ? decimals[1].count : 0)
    digits = decimals.joined().utf8.map { $0 - 0x30 }
  }

  private static func areDigits(_ text: Substring) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { 0x30...0x39 ~= $0 }
  }

  /// Negative if this number is smaller than another, zero if both are equal.
  func order(to other: ModelNumber) -> Int {
    let common = min(exponent, other.exponent)
    let (mine, theirs) = (whole(common), other.whole(common))
    let (sign, otherSign) = (Self.sign(mine, isNegative), Self.sign(theirs, other.isNegative))
    guard sign == otherSign else { return sign - otherSign }
    if mine == theirs { return 0 }
    let isSmaller =
      mine.count == theirs.count
      ? mine.lexicographicallyPrecedes(theirs) : mine.count < theirs.count
    return isSmaller ? -sign : sign
  }

  /// The digits of the whole number that gives this number when multiplied by ten to `power`.
  private func whole(_ power: Int) -> [UInt8] {
    Array((digits + Array(repeating: 0, count: exponent - power)).drop { $0 == 0 })
  }

  private static func sign(_ digits: [UInt8], _ isNegative: Bool) -> Int {
    digits.isEmpty ? 0 : isNegative ? -1 : 1
  }
}

/// A date with a time and a zone, as a number of seconds.
enum ModelDate {
  /// Seconds since the beginning of the year 0; nil for a text of another form.
  static func seconds(_ text: String) -> Double? {
    let form = Array("0000-00-00T00:00:00".utf8)
    let bytes = Array(text.utf8)
    guard bytes.count > form.count, zip(bytes, form).allSatisfy(fits),
      let (fraction, offset) = rest(String(text.dropFirst(form.count)))
    else { return nil }
    func number(_ range: Range<Int>) -> Int {
      bytes[range].reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
    let (month, day) = (number(5..<7), number(8..<10))
    guard 1...12 ~= month, 1...31 ~= day else { return nil }
    let year = number(0..<4)
    let days = (0..<year).reduce(0) { $0 + (isLeap($1) ? 366 : 365) }
    let lengths = [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    let day0 = days + lengths.prefix(month - 1).reduce(0, +) + day - 1
    let time = number(11..<13) * 3600 + number(14..<16) * 60 + number(17..<19)
    return Double(day0 * 86_400 + time - offset) + fraction
  }

  private static func fits(_ byte: UInt8, _ form: UInt8) -> Bool {
    form == 0x30 ? 0x30...0x39 ~= byte : byte == form
  }

  private static func isLeap(_ year: Int) -> Bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
  }

  /// The fraction of a second and the seconds east of UTC.
  private static func rest(_ text: String) -> (Double, Int)? {
    let start = text.firstIndex { "Z+-".contains($0) } ?? text.endIndex
    let (fraction, zone) = (text[..<start], text[start...])
    guard fraction.isEmpty || fraction.hasPrefix("."),
      let part = fraction.isEmpty ? 0 : Double("0" + fraction)
    else { return nil }
    if zone == "Z" { return (part, 0) }
    let digits = zone.dropFirst().filter { $0 != ":" }
    guard digits.count == 4, let hours = Int(digits.prefix(2)), let minutes = Int(digits.suffix(2))
    else { return nil }
    return (part, (zone.hasPrefix("-") ? -1 : 1) * (hours * 3600 + minutes * 60))
  }
}
