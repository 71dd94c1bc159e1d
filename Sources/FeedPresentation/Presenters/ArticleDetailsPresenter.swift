public import FeedFeature

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Presents the details of an article (EssentialNews, "Article Details Feature Specs").
public struct ArticleDetailsPresenter: Sendable {
  private let text: FeedText
  private let dates: DateTexts

  /// Makes a presenter.
  ///
  /// - Parameters:
  ///   - text: the language.
  ///   - calendar: determines day and time by its time zone.
  ///   - locale: the format of dates; that of the language by default.
  public init(text: FeedText, calendar: Calendar = .current, locale: Locale? = nil) {
    self.text = text
    dates = DateTexts(calendar: calendar, locale: locale ?? text.language.locale)
  }

  /// All details of an article.
  public func map(_ article: Article) -> ArticleDetailsViewModel {
    ArticleDetailsViewModel(
      title: article.title, source: text.format(.articleSource, article.source.name),
      author: article.author.map { text.format(.articleAuthor, $0) },
      date: dates.dateAndTime(article.publishedAt), description: article.description,
      content: article.content, image: article.urlToImage,
      link: WebLink(title: text[.articleLink], address: article.url.absoluteString))
  }
}

/// The view model of an article's details.
public struct ArticleDetailsViewModel: Sendable, Hashable {
  /// The headline.
  public let title: String
  /// The source: "From: Reuters".
  public let source: String
  /// The author: "By A. Writer".
  public let author: String?
  /// When it was published: "May 20, 2020 at 6:40 PM".
  public let date: String
  /// A short description.
  public let description: String?
  /// The beginning of its text.
  public let content: String?
  /// Its picture.
  public let image: URL?
  /// A link to the article.
  public let link: WebLink
}
