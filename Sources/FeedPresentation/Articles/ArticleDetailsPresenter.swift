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
  ///   - calendar: says which day and time it is, by its time zone.
  ///   - locale: how dates are written; the language's own way by default.
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

/// What is shown of an article by itself.
public struct ArticleDetailsViewModel: Sendable, Hashable {
  /// The headline.
  public let title: String
  /// Where it comes from: "From: Reuters".
  public let source: String
  /// Who wrote it: "By A. Writer".
  public let author: String?
  /// When it was published: "May 20, 2020 at 6:40 PM".
  public let date: String
  /// A sentence or two about it.
  public let description: String?
  /// The beginning of its text.
  public let content: String?
  /// Its picture.
  public let image: URL?
  /// The article itself.
  public let link: WebLink
}
