@_spi(Records) import JSONStream

/// Dates in forms other than RFC 3339 that services use, for lenient readers.
///
/// - A space instead of the `T`, as databases write it, and a space before the zone.
/// - No zone, which means UTC; `UTC` or `GMT`; an offset in hours only.
/// - No seconds, or no time at all, which is midnight; a comma before the fraction (ISO 8601).
/// - Mail dates (RFC 5322, section 3.3): `Wed, 20 May 2020 11:24:59 +0000`.
/// - Their obsolete forms (section 4.3), which are those of RSS (RFC 822): `20 May 20 11:24 EST`.
///   Alphabetic zones without a defined offset are rejected, because they would have to mean UTC.
///
/// Digits alone are rejected, because seconds and milliseconds look the same.
enum CommonDateText {
  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]
  /// The zones of RFC 5322, section 4.3, that have a defined offset.
  private static let zones = [
    "UT": "Z", "GMT": "Z", "EDT": "-04:00", "EST": "-05:00", "CDT": "-05:00", "CST": "-06:00",
    "MDT": "-06:00", "MST": "-07:00", "PDT": "-07:00", "PST": "-08:00",
  ]
  /// A longer text is not a date.
  private static let longest = 64

  /// Seconds since the reference date, for these forms and those of ``DateText``; nil if the text
  /// is not such a date. Takes about a microsecond.
  static func parse(_ text: borrowing RawSpan) -> Double? {
    if let seconds = DateText.parse(text) { return seconds }
    guard text.byteCount <= longest else { return nil }
    var bytes: [UInt8] = []
    for index in 0..<text.byteCount { bytes.append(text.byte(at: index)) }
    let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
    return numeric(words) ?? spelled(words)
  }

  // 2020-05-20, 2020-05-20T11:24, 2020-05-20 11:24:59,5 +02
  private static func numeric(_ words: [Substring]) -> Double? {
    guard let first = words.first, words.count <= 3 else { return nil }
    let date = first.prefix(10)
    var rest = words.dropFirst()
    var time = first.dropFirst(10)
    if let mark = time.popFirst() {
      guard mark == "T" || mark == "t" else { return nil }
    } else {
      time = rest.popFirst() ?? "00:00:00"
    }
    let clock = time.prefix { ("0"..."9").contains($0) || ":.,".contains($0) }
    let zone = time.dropFirst(clock.count)
    guard zone.isEmpty || rest.isEmpty, rest.count <= 1 else { return nil }
    return seconds(date, clock, zone.isEmpty ? rest.first ?? "Z" : zone)
  }

  // Wed, 20 May 2020 11:24:59 +0000
  private static func spelled(_ words: [Substring]) -> Double? {
    let hasWeekday = words.first.map { $0.utf8.count == 4 && $0.last == "," } == true
    let words = words.dropFirst(hasWeekday ? 1 : 0)
    guard words.count == 5, let day = words.first, day.count <= 2,
      let month = months.firstIndex(of: words[words.startIndex + 1].lowercased())
    else { return nil }
    let rest = Array(words.dropFirst(2))
    guard let year = year(rest[0]) else { return nil }
    let zone = zones[rest[2].uppercased()].map { Substring($0) } ?? rest[2]
    return seconds("\(year)-\(padded("\(month + 1)"))-\(padded(day))", rest[1], zone)
  }

  /// A four-digit year. Two digits mean 1950 to 2049, three digits mean years since 1900 (RFC 5322,
  /// section 4.3).
  private static func year(_ digits: Substring) -> String? {
    guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(digits) else {
      return nil
    }
    switch digits.utf8.count {
    case 2: return String(number + (number < 50 ? 2000 : 1900))
    case 3: return String(number + 1900)
    case 4: return String(digits)
    default: return nil
    }
  }

  private static func seconds(
    _ date: some StringProtocol, _ clock: Substring, _ zone: Substring
  ) -> Double? {
    let time = clock.utf8.count == 5 ? "\(clock):00" : clock.replacing(",", with: ".")
    let offset =
      switch zone {
      case "UTC", "GMT": "Z"
      case _ where zone.utf8.count == 3: "\(zone):00"
      default: String(zone)
      }
    let text = Array("\(date)T\(time)\(offset)".utf8)
    return DateText.parse(text.span.bytes)
  }

  private static func padded(_ number: some StringProtocol) -> String {
    number.utf8.count == 1 ? "0\(number)" : String(number)
  }
}
