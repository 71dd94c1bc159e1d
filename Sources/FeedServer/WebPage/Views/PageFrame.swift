import FeedPresentation
import FeedStorage

/// The parts that all pages have around their content.
struct PageFrame: Sendable {
  let language: String
  let title: String
  let trail: [TrailView]
  let alternates: [AlternateView]
  let hasAlternates: Bool
  let texts: PageTexts
  let assets: PageAssets.Addresses

  /// - Parameters:
  ///   - trail: the pages that lead to this one, which is the last.
  ///   - alternates: the same content in other formats.
  init(_ text: FeedText, trail: [TrailView], alternates: [AlternateView] = []) {
    language = text.language.rawValue
    title = trail.reversed().map(\.title).joined(separator: " – ")
    self.trail = trail
    self.alternates = alternates
    hasAlternates = !alternates.isEmpty
    texts = PageTexts(text)
    assets = PageAssets.all.addresses
  }
}

/// A page on the path to the current one. The current one has no address.
struct TrailView: Sendable {
  let title: String
  var address: String?

  /// The start of every trail.
  static let home = TrailView(title: "FeedCore", address: PageAddress.home.text)
}

/// The same content in another format.
struct AlternateView: Sendable {
  let title: String
  let type: String
  let address: String
}

extension [AlternateView] {
  /// The list of a feed in formats for programs.
  static func list(_ name: FeedName) -> [AlternateView] {
    [
      AlternateView(title: "JSON", type: "application/json", address: "/feeds/\(name)"),
      AlternateView(
        title: "JSON Feed", type: "application/feed+json",
        address: "/feeds/\(name)?format=jsonfeed"),
      AlternateView(
        title: "Atom", type: "application/atom+xml", address: "/feeds/\(name)?format=atom"),
    ]
  }

  /// A record in the format for programs.
  static func record(_ name: FeedName, key: String) -> [AlternateView] {
    [
      AlternateView(
        title: "JSON", type: "application/json",
        address: "/feeds/\(name)/records/\(key.queryEscaped)")
    ]
  }
}

/// The fixed texts of the templates.
struct PageTexts: Sendable {
  let skip: String
  let offline: String
  let loading: String
  let refresh: String
  let filter: String
  let apply: String
  let empty: String
  let conditions: String
  let narrow: String

  init(_ text: FeedText) {
    skip = text[.skip]
    offline = text[.connectivityError]
    loading = text[.loading]
    refresh = text[.refresh]
    filter = text[.filter]
    apply = text[.filterApply]
    empty = text[.empty]
    conditions = text[.conditions]
    narrow = text[.narrow]
  }
}
