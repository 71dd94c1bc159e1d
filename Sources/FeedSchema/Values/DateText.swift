/// Dates and times with a zone, as text and as seconds since 2001-01-01T00:00:00Z, the reference
/// date of Foundation's `Date`.
///
/// It accepts what the apps' decoders accept: RFC 3339, and also an offset without a colon,
/// `24:00:00`, `23:59:60`, and a day up to 31 in every month, which overflows into the next month.
package enum DateText {
  /// The number of days from 1970-01-01 to the reference date.
  private static let referenceDays = 11_323
  /// From the beginning of the year 0 to the end of the year 9999.
  private static let writable = -63_145_526_400.0..<252_423_993_600.0

  /// Seconds since the reference date; nil if the text is no such date.
  package static func parse(_ text: borrowing RawSpan) -> Double? {
    var reader = DateReader(text.byteCount)
    guard let clock = reader.clock(in: text) else { return nil }
    var fraction = 0.0
    var offset = 0
    if !reader.endsInUTC(text) {
      guard let writtenFraction = reader.fraction(in: text),
        let writtenOffset = reader.offset(in: text), reader.isAtEnd
      else { return nil }
      (fraction, offset) = (writtenFraction, writtenOffset)
    }
    // No overflow: each part has few digits.
    let days = days(year: clock.year, month: clock.month, day: clock.day) &- referenceDays
    let minutes = clock.hour &* 60 &+ clock.minute
    let seconds = days &* 86_400 &+ minutes &* 60 &+ clock.second &- offset
    let value = Double(seconds) + fraction
    // A date is rejected if it cannot be written again with a four-digit year.
    return writable.contains(value) ? value : nil
  }

  /// Whether a date that ``parse(_:)`` accepts is a day of the calendar. The 30th of February is
  /// read as a day in March, as in a payload with that text.
  package static func isInCalendar(_ text: borrowing RawSpan) -> Bool {
    var reader = DateReader(text.byteCount)
    guard let clock = reader.clock(in: text) else { return false }
    let day = date(
      days: days(year: clock.year, month: clock.month, day: clock.day))
    return day.month == clock.month && day.day == clock.day
  }

  /// A date in UTC, with the shortest fraction that restores the same date, if any.
  package static func text(referenceSeconds: Double) -> [UInt8]? {
    let whole = referenceSeconds.rounded(.down)
    guard writable.contains(whole) else { return nil }
    var result = civil(Int(whole))
    if let digits = fractionDigits(referenceSeconds, whole) {
      result.append(0x2E)
      result += digits
    }
    result.append(0x5A)
    return result
  }

  private static func civil(_ seconds: Int) -> [UInt8] {
    let days = (seconds >= 0 ? seconds : seconds - 86_399) / 86_400
    let rest = seconds - days * 86_400
    let date = date(days: days + referenceDays)
    var result: [UInt8] = []
    result.reserveCapacity(32)
    append(date.year, 4, 0x2D, to: &result)
    append(date.month, 2, 0x2D, to: &result)
    append(date.day, 2, 0x54, to: &result)
    append(rest / 3_600, 2, 0x3A, to: &result)
    append(rest / 60 % 60, 2, 0x3A, to: &result)
    append(rest % 60, 2, nil, to: &result)
    return result
  }

  private static func fractionDigits(_ value: Double, _ whole: Double) -> [UInt8]? {
    guard value != whole else { return nil }
    var scale = 1.0
    for count in 1...9 {
      scale *= 10
      let digits = ((value - whole) * scale).rounded()
      if whole + digits / scale == value || count == 9 {
        // A fraction that would round up to a whole second is truncated.
        var number = Int(min(digits, scale - 1))
        var text = [UInt8](repeating: 0x30, count: count)
        for place in (0..<count).reversed() {
          text[place] += UInt8(number % 10)
          number /= 10
        }
        return text
      }
    }
    return nil
  }

  private static func append(_ value: Int, _ width: Int, _ end: UInt8?, to result: inout [UInt8]) {
    var divisor = 1
    for _ in 1..<width { divisor *= 10 }
    while divisor > 0 {
      result.append(0x30 + UInt8(value / divisor % 10))
      divisor /= 10
    }
    if let end { result.append(end) }
  }

  // The number of days since 1970-01-01 in the proleptic Gregorian calendar, for a four-digit year.
  // The year is shifted to begin in March, so that the leap day is its last day. It is also shifted
  // by 400 years, the period of the calendar, so that it is never negative: unsigned division is
  // faster.
  @inline(__always)
  private static func days(year: Int, month: Int, day: Int) -> Int {
    let shifted = UInt32(truncatingIfNeeded: month > 2 ? year + 400 : year + 399)
    let monthFromMarch = UInt32(truncatingIfNeeded: month > 2 ? month - 3 : month + 9)
    let leaps = shifted / 4 &- shifted / 100 &+ shifted / 400
    let days = shifted &* 365 &+ leaps &+ (monthFromMarch &* 153 &+ 2) / 5
    return Int(days) &+ day &- (1 + 719_468 + 146_097)
  }

  private static func date(days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * month + 2) / 5 + 1
    let year = yearOfEra + era * 400 + (month >= 10 ? 1 : 0)
    return (year, month < 10 ? month + 3 : month - 9, day)
  }
}
