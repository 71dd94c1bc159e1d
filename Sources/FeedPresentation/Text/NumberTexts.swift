import Foundation

/// Formats numbers with the digits and groups of a locale.
enum NumberTexts {
  static func text(_ number: Int, in locale: Locale) -> String {
    number.formatted(.number.locale(locale))
  }
}
