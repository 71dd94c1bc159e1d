import Foundation

/// Dates in words, by a calendar and its time zone, in the language of a locale.
struct DateTexts: Sendable {
  var calendar: Calendar
  var locale: Locale

  /// How long ago a date is: "5 minutes ago". One that is still to come is "in 5 minutes".
  func relative(_ date: Date, to currentDate: Date) -> String {
    // The style counts from its anchor to the date that it formats, so the present is formatted.
    Date.AnchoredRelativeFormatStyle(
      anchor: date, presentation: .numeric, unitsStyle: .wide, locale: locale, calendar: calendar
    ).format(currentDate)
  }

  /// The day alone, `EEE, dd MMM`: "Wed, 20 May".
  func day(_ date: Date) -> String {
    Date.VerbatimFormatStyle(
      format: "\(weekday: .abbreviated), \(day: .twoDigits) \(month: .abbreviated)",
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
