import Foundation

/// Formats dates by a calendar and its time zone, in the language of a locale.
struct DateTexts: Sendable {
  var calendar: Calendar
  var locale: Locale

  /// The age of a date in the largest unit with a nonzero whole number: "5 minutes ago". A future
  /// date is "in 5 minutes".
  func relative(_ date: Date, to currentDate: Date) -> String {
    let (field, count) = age(of: date, at: currentDate)
    // The style rounds: without this, six and a half days would be a week.
    let whole = calendar.date(byAdding: field.component, value: count, to: date) ?? currentDate
    // The style counts from its anchor to the formatted date, so the present is formatted.
    return Date.AnchoredRelativeFormatStyle(
      anchor: date, allowedFields: [field.style], presentation: .numeric, unitsStyle: .wide,
      locale: locale, calendar: calendar
    ).format(whole)
  }

  private typealias Field = (
    component: Calendar.Component, style: Date.AnchoredRelativeFormatStyle.Field
  )

  private static let fields: [Field] = [
    (.year, .year), (.month, .month), (.weekOfYear, .week), (.day, .day), (.hour, .hour),
    (.minute, .minute), (.second, .second),
  ]

  /// The number of whole units between a date and the present, in the largest unit that is not 0.
  private func age(of date: Date, at currentDate: Date) -> (field: Field, count: Int) {
    let components = Set(Self.fields.map(\.component))
    let parts = calendar.dateComponents(components, from: date, to: currentDate)
    for field in Self.fields {
      if let count = parts.value(for: field.component), count != 0 { return (field, count) }
    }
    return ((.second, .second), 0)
  }

  /// The day, `EEE, dd MMM`: "Wed, 20 May". A year other than the present one is appended: "Wed, 20
  /// May 2015".
  func day(_ date: Date, at currentDate: Date) -> String {
    let isThisYear = calendar.isDate(date, equalTo: currentDate, toGranularity: .year)
    return Date.VerbatimFormatStyle(
      format: isThisYear
        ? "\(weekday: .abbreviated), \(day: .twoDigits) \(month: .abbreviated)"
        : "\(weekday: .abbreviated), \(day: .twoDigits) \(month: .abbreviated) \(year: .defaultDigits)",
      locale: locale, timeZone: calendar.timeZone, calendar: calendar
    ).format(date)
  }

  /// The date at medium length and the time at short length: "May 20, 2020 at 6:40 PM".
  func dateAndTime(_ date: Date) -> String {
    Date.FormatStyle(
      date: .abbreviated, time: .shortened, locale: locale, calendar: calendar,
      timeZone: calendar.timeZone
    ).format(date)
  }
}

/// Formats numbers with the digits and groups of a locale.
enum NumberTexts {
  static func text(_ number: Int, in locale: Locale) -> String {
    number.formatted(.number.locale(locale))
  }

  /// A number of bytes in the largest fitting unit: "1.2 MB".
  static func bytes(_ number: Int, in locale: Locale) -> String {
    number.formatted(.byteCount(style: .file, spellsOutZero: false).locale(locale))
  }
}
