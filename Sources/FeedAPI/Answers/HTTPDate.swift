import FeedSchema

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// Dates in header fields (RFC 9110, section 5.6.7).
package enum HTTPDate {
  private static let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]

  /// Parses a date in one of the three forms that HTTP has used; nil if the text has none of them.
  package static func parse(_ text: String) -> Date? {
    // Sun, 06 Nov 1994 08:49:37 GMT; Sunday, 06-Nov-94 08:49:37 GMT; Sun Nov  6 08:49:37 1994
    guard [0, 2].contains(text.count { $0 == "-" }) else { return nil }
    let parts = text.split { $0 == " " || $0 == "," || $0 == "-" }.map { $0.lowercased() }
    switch parts.count {
    case 6 where parts[5] == "gmt":
      guard let year = year(parts[3]) else { return nil }
      return date(year, parts[2], parts[1], parts[4])
    case 5:
      guard parts[4].utf8.count == 4, let year = year(parts[4]) else { return nil }
      return date(year, parts[1], parts[2], parts[3])
    default:
      return nil
    }
  }

  /// A date in the form that HTTP requires senders to use, in whole seconds. Nil outside the years
  /// 0 to 9999. The reference date was a Monday.
  package static func text(referenceSeconds: Double) -> String? {
    let seconds = referenceSeconds.rounded(.down)
    guard let iso = DateText.text(referenceSeconds: seconds) else { return nil }
    let parts = String(decoding: iso, as: UTF8.self).split { "-T:Z".contains($0) }
    guard parts.count == 6, let month = Int(parts[1]), months.indices.contains(month - 1) else {
      return nil
    }
    let day = Int((seconds / 86_400).rounded(.down)) % 7
    let name = days[(day + 7) % 7]
    return "\(name), \(parts[2]) \(months[month - 1].capitalized) \(parts[0])"
      + " \(parts[3]):\(parts[4]):\(parts[5]) GMT"
  }

  // HTTP interprets a year of two digits as at most 50 years ahead. The form is obsolete, so this
  // reads 70 to 99 as 1970 to 1999, and the others as 2000 to 2069.
  private static func year(_ text: String) -> Int? {
    guard let number = Int(text), number >= 0 else { return nil }
    switch text.utf8.count {
    case 4: return number
    case 2: return number + (number < 70 ? 2000 : 1900)
    default: return nil
    }
  }

  private static func date(_ year: Int, _ month: String, _ day: String, _ time: String) -> Date? {
    guard let month = months.firstIndex(of: month), let day = Int(day), day < 100 else {
      return nil
    }
    let text = "\(padded(year, 4))-\(padded(month + 1, 2))-\(padded(day, 2))T\(time)Z"
    let bytes = Array(text.utf8)
    return DateText.parse(bytes.span.bytes).map { Date(timeIntervalSinceReferenceDate: $0) }
  }

  private static func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(width - digits.utf8.count, 0)) + digits
  }
}
