#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Language {
  /// The locale for dates that matches the texts.
  public var locale: Locale { Locale(identifier: rawValue) }
}
