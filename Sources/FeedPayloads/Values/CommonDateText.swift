@_spi(Records) import JSONStream

/// Dates in the forms that services use beside RFC 3339, for a reader that is lenient about them.
///
/// - A space in place of the `T`, as databases write it, and one before the zone.
/// - No zone, which is taken for UTC; `UTC` or `GMT`; an offset of hours alone.
/// - No seconds, or no time at all, which is midnight; a comma before the fraction (ISO 8601).
/// - The dates of mail and of RSS (RFC 5322, section 3.3): `Wed, 20 May 2020 11:24:59 +0000`.
///
/// Digits alone are none: nobody can tell seconds from milliseconds.
enum CommonDateText {
  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]
  /// A longer text is no date.
  private static let longest = 64

  /// Seconds since the reference date, of these forms and of those that ``DateText`` reads; nil
  /// if the text is no such date. Takes about a microsecond.
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
    return seconds("\(rest[0])-\(padded("\(month + 1)"))-\(padded(day))", rest[1], rest[2])
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
