/// A language that the texts exist in.
public enum Language: String, Sendable, Hashable, CaseIterable {
  case english = "en"
  case greek = "el"
  case brazilianPortuguese = "pt-BR"
  case russian = "ru"
  case hindi = "hi"

  /// The best language for somebody who wants these, the most wanted first; English if there is
  /// none of them.
  ///
  /// A tag is matched by its language alone, in any case: `pt`, `pt-PT` and `pt_BR.UTF-8` all find
  /// Brazilian Portuguese, since any Portuguese is read more easily than the next language wanted.
  /// What is no language tag, such as `C` or `*`, is passed over.
  ///
  /// - Parameter wanted: language tags (RFC 5646), or the names of locales.
  public init(preferring wanted: some Sequence<String>) {
    self = wanted.lazy.compactMap(Self.init(matching:)).first ?? .english
  }

  private init?(matching tag: String) {
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
