/// Formats the age of a feed for people.
enum ReadableAge {
  /// `12 s`, `3 min`, `5 h`, `40 days`, rounded down; `in 3 h` for a date in the future.
  static func text(seconds: Double) -> String {
    guard seconds.magnitude < 1e15 else { return "-" }
    let text = span(Int(seconds.magnitude))
    return seconds < 0 ? "in \(text)" : text
  }

  private static func span(_ seconds: Int) -> String {
    switch seconds {
    case ..<60: "\(seconds) s"
    case ..<3_600: "\(seconds / 60) min"
    case ..<86_400: "\(seconds / 3_600) h"
    case ..<172_800: "1 day"
    default: "\(seconds / 86_400) days"
    }
  }
}
