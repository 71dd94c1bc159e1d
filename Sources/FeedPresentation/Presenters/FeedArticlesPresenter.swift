public import FeedFeature

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Presents the feed of news (EssentialNews, "News Feed Feature Specs").
public struct FeedArticlesPresenter: Sendable {
  private let text: FeedText
  private let dates: DateTexts
  private let currentDate: @Sendable () -> Date

  /// Makes a presenter.
  ///
  /// - Parameters:
  ///   - text: the language.
  ///   - calendar: determines the day by its time zone.
  ///   - locale: the words for days and months; those of the language by default.
  ///   - currentDate: the clock.
  public init(
    text: FeedText, calendar: Calendar = .current, locale: Locale? = nil,
    currentDate: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.text = text
    dates = DateTexts(calendar: calendar, locale: locale ?? text.language.locale)
    self.currentDate = currentDate
  }

  /// The title of the feed.
  public var title: String { text[.articlesTitle] }

  /// The view models of the articles, in the order of the feed.
  public func map(_ articles: [Article]) -> [ArticleViewModel] {
    let now = currentDate()
    return articles.map { article in
      ArticleViewModel(
        key: article.url, title: article.title,
        source: text.format(.articleSource, article.source.name),
        date: day(article.publishedAt, now: now), image: article.urlToImage)
    }
  }

  private func day(_ date: Date, now: Date) -> String {
    dates.calendar.isDate(date, inSameDayAs: now) ? text[.today] : dates.day(date, at: now)
  }
}

/// The view model of an article in a list.
public struct ArticleViewModel: Sendable, Hashable {
  /// The key of its details.
  public let key: URL
  /// The headline.
  public let title: String
  /// The source: "From: Reuters".
  public let source: String
  /// The day of its publication: "Today", "Wed, 20 May", or in another year "Wed, 20 May 2015".
  public let date: String
  /// Its picture.
  public let image: URL?
}
