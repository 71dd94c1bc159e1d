import FeedPresentation

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The requested page, and the pages that the client already has.
struct PageRequest: Sendable {
  let target: RequestTarget
  let reader: PageReader
  /// The tags of the pages that the client has stored.
  let known: EntityTagList?
  /// Distinguishes these pages from those of other template versions.
  let version: String

  var text: FeedText { reader.text }

  /// The current tag of a page that is made of these generations.
  ///
  /// It changes every minute, since pages state the age of feeds. It is weak, because compressed
  /// and uncompressed pages share it.
  func tag(_ feeds: some Sequence<(generation: UInt64, seconds: Double)>) -> EntityTag {
    let minute = Int64((reader.now.timeIntervalSinceReferenceDate / 60).rounded(.down))
    var parts = [version, text.language.rawValue, "\(minute)", target.text]
    for feed in feeds { parts += ["\(feed.generation)", "\(feed.seconds.bitPattern)"] }
    return EntityTag(PageAssets.sum(Array(parts.joined(separator: "\n").utf8)), isWeak: true)
  }

  /// Whether the client has the page with this tag.
  func has(_ tag: EntityTag) -> Bool {
    known?.contains { $0.isWeaklyEqual(to: tag) } ?? false
  }
}

/// A reader of the page: the language and the current time.
struct PageReader: Sendable {
  let text: FeedText
  let calendar: Calendar
  let now: Date
  /// The URL of the feed that is shown, which its relative URLs are resolved against; nil if it is
  /// not known.
  var base: URL?

  init(_ language: Language, calendar: Calendar = .current, now: Date) {
    text = FeedText(language: language)
    self.calendar = calendar
    self.now = now
  }

  /// The presenter of feeds.
  var feeds: FeedsPresenter {
    FeedsPresenter(text: text, calendar: calendar, currentDate: { [now] in now })
  }
}

extension Language {
  /// The preferred language that has texts, of an `Accept-Language` field (RFC 9110, section
  /// 12.5.4); English if none matches.
  ///
  /// Of equally preferred ones, the first wins. `*` stands for every language that is not named. A
  /// language of quality 0 is not acceptable, unless nothing else matches.
  init(acceptLanguage field: String?) {
    let items = AcceptField(field).items
    let named = items.compactMap { Language(matching: String($0.name)) }
    let wanted = items.enumerated().filter { $0.element.quality > 0 }
      .sorted { ($1.element.quality, $0.offset) < ($0.element.quality, $1.offset) }
    let found = wanted.lazy.compactMap { item in
      item.element.name == "*"
        ? Language.allCases.first { !named.contains($0) }
        : Language(matching: String(item.element.name))
    }
    self = found.first ?? .english
  }
}
