import FeedPresentation

/// The languages that an `Accept-Language` field requests (RFC 9110, section 12.5.4).
struct AcceptedLanguages: Sendable {
  private struct Range {
    var tag: Substring
    /// In thousandths.
    var quality: Int
  }

  private let ranges: [Range]

  /// The maximum number of ranges that are read.
  private static let limit = 32

  /// Invalid language ranges are ignored.
  init(_ field: String) {
    ranges = field.split(separator: ",", maxSplits: Self.limit).prefix(Self.limit)
      .compactMap(Self.range)
  }

  /// The preferred language that has texts; English if none matches.
  ///
  /// Of equally preferred ones, the first wins. `*` stands for every language that is not named. A
  /// language of quality 0 is not acceptable, unless nothing else matches.
  var best: Language {
    let wanted = ranges.enumerated().filter { $0.element.quality > 0 }
      .sorted { ($1.element.quality, $0.offset) < ($0.element.quality, $1.offset) }
      .map(\.element.tag)
    let refused = ranges.filter { $0.quality == 0 }.map(\.tag)
    for tag in wanted {
      let found =
        tag == "*"
        ? Language.allCases.first { !Self.names($0, in: wanted + refused) }
        : Self.language(tag)
      if let found { return found }
    }
    return .english
  }

  private static func range(_ text: Substring) -> Range? {
    let parts = text.split(separator: ";", omittingEmptySubsequences: false).map(\.trimmingBlanks)
    guard let tag = parts.first, !tag.isEmpty,
      tag == "*" || tag.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") })
    else { return nil }
    for parameter in parts.dropFirst() where parameter.lowercased().hasPrefix("q=") {
      guard let quality = quality(parameter.dropFirst(2)) else { return nil }
      return Range(tag: tag, quality: quality)
    }
    return Range(tag: tag, quality: 1000)
  }

  /// `0` to `1` with at most three decimals (RFC 9110, section 12.4.2).
  private static func quality(_ text: Substring) -> Int? {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let whole = parts.first, whole == "0" || whole == "1" else { return nil }
    let decimals = parts.count > 1 ? parts[1] : ""
    guard decimals.count <= 3, decimals.allSatisfy({ $0.isASCII && $0.isNumber }),
      let thousandths = Int(decimals + String(repeating: "0", count: 3 - decimals.count))
    else { return nil }
    return whole == "0" ? thousandths : thousandths == 0 ? 1000 : nil
  }

  private static func language(_ tag: Substring) -> Language? {
    // English is the fallback for unknown tags, so it must be requested by name.
    let language = Language(preferring: [String(tag)])
    let isEnglish = tag.lowercased() == "en" || tag.lowercased().hasPrefix("en-")
    return language != .english || isEnglish ? language : nil
  }

  private static func names(_ language: Language, in tags: [Substring]) -> Bool {
    tags.contains { $0 != "*" && Self.language($0) == language }
  }
}
