#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Language {
  /// The locale whose dates go with the texts.
  public var locale: Locale { Locale(identifier: rawValue) }
}
