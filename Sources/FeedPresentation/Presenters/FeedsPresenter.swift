#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Presents feeds as a whole: their titles, sizes and ages.
public struct FeedsPresenter: Sendable {
  private let text: FeedText
  private let dates: DateTexts
  private let currentDate: @Sendable () -> Date

  /// Makes a presenter.
  ///
  /// - Parameters:
  ///   - text: the language.
  ///   - calendar: counts the days and weeks of a feed's age.
  ///   - locale: the words and digits; those of the language by default.
  ///   - currentDate: the clock.
  public init(
    text: FeedText, calendar: Calendar = .current, locale: Locale? = nil,
    currentDate: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.text = text
    dates = DateTexts(calendar: calendar, locale: locale ?? text.language.locale)
    self.currentDate = currentDate
  }

  /// The title of the list of feeds.
  public var title: String { text[.feedsTitle] }

  /// The title of a feed. If its name equals its kind, that is the app's title for the kind, else
  /// its own name.
  public func title(ofFeed name: String, kind: String) -> String {
    name == kind ? title(ofKind: kind) : name
  }

  /// The title of a kind of payload; its name if no app uses it.
  public func title(ofKind kind: String) -> String {
    switch kind {
    case "universities": text[.universitiesTitle]
    case "feed": text[.feedTitle]
    case "comments": text[.commentsTitle]
    case "characters": text[.charactersTitle]
    case "news": text[.articlesTitle]
    default: kind
    }
  }

  /// The number of items: "Items: 1,200".
  public func count(_ count: Int) -> String {
    text.format(.feedCount, NumberTexts.text(count, in: dates.locale))
  }

  /// The number of items that have just been loaded: "Loaded: 24".
  public func added(_ count: Int) -> String {
    text.format(.added, NumberTexts.text(count, in: dates.locale))
  }

  /// The bytes of a feed in the store: "Size: 1.2 MB".
  package func size(_ bytes: Int) -> String {
    text.format(.feedSize, NumberTexts.bytes(bytes, in: dates.locale))
  }

  /// The number of items that a search has found: "Matches: 1,200", or "Matches: at least 1,200".
  package func matches(_ count: Int, isWhole: Bool) -> String {
    text.format(isWhole ? .matches : .matchesAtLeast, number(count))
  }

  /// The number of pages: "of 1,200".
  package func pages(_ count: Int) -> String { text.format(.pageCount, number(count)) }

  /// A number with the digits and groups of the language.
  package func number(_ number: Int) -> String { NumberTexts.text(number, in: dates.locale) }

  /// The age of a feed: "Updated 5 minutes ago".
  public func updated(_ timestamp: Date) -> String {
    age(of: timestamp, .feedUpdated, orNow: .feedUpdatedNow)
  }

  /// The text next to the failure of a load if a saved feed is shown: "Showing what was saved 5
  /// minutes ago".
  public func saved(_ timestamp: Date) -> String {
    age(of: timestamp, .feedSaved, orNow: .feedSavedNow)
  }

  /// Ages below a minute count as now, even if the timestamp is in the future.
  private func age(of timestamp: Date, _ key: FeedText.Key, orNow nowKey: FeedText.Key) -> String {
    let now = currentDate()
    return abs(now.timeIntervalSince(timestamp)) < 60
      ? text[nowKey] : text.format(key, dates.relative(timestamp, to: now))
  }

  /// The text for a filter without results: "Nothing matches “Athens”".
  public func noMatch(_ filter: String) -> String { text.format(.noMatch, filter) }
}
