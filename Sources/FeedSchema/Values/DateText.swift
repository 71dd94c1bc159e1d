@_spi(Records) import JSONStream

/// Dates and times with a zone, as text and as seconds since 2001-01-01T00:00:00Z, the reference
/// date of Foundation's `Date`.
///
/// It accepts what the apps' decoders accept: RFC 3339, and also an offset without a colon,
/// `24:00:00`, `23:59:60`, and a day up to 31 in every month, which overflows into the next month.
package enum DateText {
  /// The number of days from 1970-01-01 to the reference date.
  private static let referenceDays = 11_323
  /// Seconds from 1970-01-01 to the reference date.
  static let unixReference = Double(referenceDays) * 86_400
  /// From the beginning of the year 0 to the end of the year 9999.
  private static let writable = -63_145_526_400.0..<252_423_993_600.0

  /// Seconds since the reference date; nil if the text is not such a date.
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

/// Reads the parts of a date's text in order.
struct DateReader {
  /// The date and time at the beginning of the text.
  struct Clock {
    var year, month, day: Int
    var hour, minute, second: Int

    /// Whether the day and the time of day are possible, including `24:00:00` and leap seconds.
    @inline(__always)
    var isSound: Bool {
      (1...12).contains(month) && (1...31).contains(day) && hour <= 24 && minute <= 59
        && second <= 60 && (hour < 24 || (minute == 0 && second == 0))
    }
  }

  private var place = 0
  private let count: Int

  init(_ count: Int) { self.count = count }

  var isAtEnd: Bool { place == count }

  /// Reads `2020-05-20T11:24:59`, the beginning of each date; nil if the text begins differently.
  @inline(__always)
  mutating func clock(in text: borrowing RawSpan) -> Clock? {
    // The added bit converts the T to lower case, so that both cases are accepted.
    guard place == 0, count >= 19,
      let date = Self.pairs(
        eight(text, at: 0), from: 0x2D30_302D_3030_3030, upTo: 0x0009_0900_0909_0909),
      let time = Self.pairs(
        eight(text, at: 8) | 0x20_0000, from: 0x3030_3A30_3074_3030, upTo: 0x0909_0009_0900_0909),
      let end = Self.pairs(
        eight(text, at: 11), from: 0x3030_3A30_303A_3030, upTo: 0x0909_0009_0900_0909)
    else { return nil }
    place = 19
    let clock = Clock(
      year: pair(0, of: date) &* 100 &+ pair(2, of: date), month: pair(5, of: date),
      day: pair(0, of: time), hour: pair(3, of: time), minute: pair(6, of: time),
      second: pair(6, of: end))
    return clock.isSound ? clock : nil
  }

  private func eight(_ text: borrowing RawSpan, at place: Int) -> UInt64 {
    text.unsafeLoadUnaligned(fromByteOffset: place, as: UInt64.self).littleEndian
  }

  private func pair(_ place: UInt64, of pairs: UInt64) -> Int { Int(pairs >> (8 * place) & 0xFF) }

  /// For each byte, the number that it and the next byte form as two digits. Nil if a byte exceeds
  /// its byte of `pattern` by more than its byte of `range`: 0 for a separator, 9 for a digit.
  ///
  /// Processes eight bytes at once; the first is the lowest byte. The top bit of a byte in the sum
  /// marks a byte beyond its range. No sum of bytes below 0x80 carries into the next byte.
  @inline(__always)
  private static func pairs(_ bytes: UInt64, from pattern: UInt64, upTo range: UInt64) -> UInt64? {
    let digits = bytes ^ pattern
    let sums = digits &+ (0x7F7F_7F7F_7F7F_7F7F &- range)
    guard (digits | sums) & 0x8080_8080_8080_8080 == 0 else { return nil }
    return digits &* 10 &+ (digits >> 8)
  }

  /// Whether only a `Z` or `+0000` follows the clock, as in most dates.
  @inline(__always)
  func endsInUTC(_ text: borrowing RawSpan) -> Bool {
    if count == 20 { return text.byte(at: 19) == 0x5A }
    return count == 24 && text.byte(at: 19) == 0x2B
      && text.unsafeLoadUnaligned(fromByteOffset: 20, as: UInt32.self) == 0x3030_3030
  }

  private mutating func number(_ width: Int, in text: borrowing RawSpan) -> Int? {
    guard place + width <= count else { return nil }
    var value = 0
    for _ in 0..<width {
      let byte = text.byte(at: place)
      guard (0x30...0x39).contains(byte) else { return nil }
      value = value * 10 + Int(byte - 0x30)
      place += 1
    }
    return value
  }

  private mutating func accept(
    _ byte: UInt8, or other: UInt8? = nil, in text: borrowing RawSpan
  ) -> Bool {
    guard place < count, text.byte(at: place) == byte || text.byte(at: place) == other else {
      return false
    }
    place += 1
    return true
  }

  /// The fraction of a second; 0 if there is none, nil if no digits follow the point.
  mutating func fraction(in text: borrowing RawSpan) -> Double? {
    guard accept(0x2E, in: text) else { return 0 }
    var digits = 0.0
    var scale = 1.0
    var seen = 0
    while let digit = number(1, in: text) {
      seen += 1
      // More than nine digits exceed the precision of such a date.
      guard seen <= 9 else { continue }
      digits = digits * 10 + Double(digit)
      scale *= 10
    }
    return seen > 0 ? digits / scale : nil
  }

  /// The offset from UTC in seconds, positive to the east.
  @inline(__always)
  mutating func offset(in text: borrowing RawSpan) -> Int? {
    if accept(0x5A, or: 0x7A, in: text) { return 0 }
    guard place < count else { return nil }
    let sign = text.byte(at: place)
    guard sign == 0x2B || sign == 0x2D, let seconds = clockOffset(in: text) else { return nil }
    return sign == 0x2B ? seconds : -seconds
  }

  // Hours and minutes after the sign, as `0000` or `00:00`, up to the end of the text.
  @inline(__always)
  private mutating func clockOffset(in text: borrowing RawSpan) -> Int? {
    let width = count - place
    guard width == 5 || width == 6 && text.byte(at: place + 3) == 0x3A else { return nil }
    let hours = text.unsafeLoadUnaligned(fromByteOffset: place + 1, as: UInt16.self).littleEndian
    let minutes = text.unsafeLoadUnaligned(fromByteOffset: count - 2, as: UInt16.self).littleEndian
    place = count
    let digits = UInt64(minutes) << 16 | UInt64(hours)
    guard let pairs = Self.pairs(digits, from: 0x3030_3030, upTo: 0x0909_0909) else { return nil }
    let clock = (hours: pair(0, of: pairs), minutes: pair(2, of: pairs))
    guard clock.hours <= 23, clock.minutes <= 59 else { return nil }
    return clock.hours * 3_600 + clock.minutes * 60
  }
}
