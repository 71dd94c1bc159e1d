#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A language with texts.
public enum Language: String, Sendable, Hashable, CaseIterable {
  case english = "en"
  case greek = "el"
  case brazilianPortuguese = "pt-BR"
  case russian = "ru"
  case hindi = "hi"

  /// The best match for the wanted languages, in order of preference; English if none matches.
  ///
  /// A tag is matched only by its language and without case: `pt`, `pt-PT` and `pt_BR.UTF-8` all
  /// select Brazilian Portuguese. Another form of Portuguese is easier to read than the next
  /// preferred language. Invalid language tags, such as `C` or `*`, are ignored.
  ///
  /// - Parameter wanted: language tags (RFC 5646), or the names of locales.
  public init(preferring wanted: some Sequence<String>) {
    self = wanted.lazy.compactMap(Self.init(matching:)).first ?? .english
  }

  /// The language of a tag such as `pt-BR`; nil if it has no texts.
  package init?(matching tag: String) {
    let wanted = Self.primarySubtag(of: tag)
    guard let language = Self.allCases.first(where: { wanted == $0.primarySubtag }) else {
      return nil
    }
    self = language
  }

  private var primarySubtag: String { Self.primarySubtag(of: rawValue) }

  private static func primarySubtag(of tag: String) -> String {
    tag.prefix { !"-_.@".contains($0) }.lowercased()
  }
}

extension Language {
  /// The locale for dates that matches the texts.
  public var locale: Locale { Locale(identifier: rawValue) }
}
