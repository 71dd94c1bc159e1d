#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Presents feeds as such: what they are called, how much they hold and how old that is.
public struct FeedsPresenter: Sendable {
  private let text: FeedText
  private let dates: DateTexts
  private let currentDate: @Sendable () -> Date

  /// Makes a presenter.
  ///
  /// - Parameters:
  ///   - text: the language.
  ///   - calendar: counts the days and weeks of a feed's age.
  ///   - locale: whose words and digits are used; the language's own by default.
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

  /// What a feed is called: as the app calls the feed of its kind, where it has the kind's name, else
  /// its own name.
  public func title(ofFeed name: String, kind: String) -> String {
    name == kind ? title(ofKind: kind) : name
  }

  /// What a kind of payload is called; its name where no app knows it.
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

  /// How many items there are: "Items: 1,200".
  public func count(_ count: Int) -> String {
    text.format(.feedCount, NumberTexts.text(count, in: dates.locale))
  }

  /// How many items have just been loaded: "Loaded: 24".
  public func added(_ count: Int) -> String {
    text.format(.added, NumberTexts.text(count, in: dates.locale))
  }

  /// How old a feed is: "Updated 5 minutes ago".
  public func updated(_ timestamp: Date) -> String {
    age(of: timestamp, .feedUpdated, orNow: .feedUpdatedNow)
  }

  /// What stands beside the reason why a feed could not be loaded, where a saved one is shown:
  /// "Showing what was saved 5 minutes ago".
  public func saved(_ timestamp: Date) -> String {
    age(of: timestamp, .feedSaved, orNow: .feedSavedNow)
  }

  /// What is less than a minute old is of just now, whichever clock is ahead.
  private func age(of timestamp: Date, _ key: FeedText.Key, orNow nowKey: FeedText.Key) -> String {
    let now = currentDate()
    return abs(now.timeIntervalSince(timestamp)) < 60
      ? text[nowKey] : text.format(key, dates.relative(timestamp, to: now))
  }

  /// That a filter finds nothing: "Nothing matches “Athens”".
  public func noMatch(_ filter: String) -> String { text.format(.noMatch, filter) }
}
