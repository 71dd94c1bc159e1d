public import FeedFeature

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Presents the comments on an image (Essential App, "Image Comments Feature Specs").
public struct ImageCommentsPresenter: Sendable {
  private let text: FeedText
  private let dates: DateTexts
  private let currentDate: @Sendable () -> Date

  /// Makes a presenter.
  ///
  /// - Parameters:
  ///   - text: the language.
  ///   - calendar: counts the days and weeks of a comment's age.
  ///   - locale: the words for the age; those of the language by default.
  ///   - currentDate: the clock.
  public init(
    text: FeedText, calendar: Calendar = .current, locale: Locale? = nil,
    currentDate: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.text = text
    dates = DateTexts(calendar: calendar, locale: locale ?? text.language.locale)
    self.currentDate = currentDate
  }

  /// The title of the comments.
  public var title: String { text[.commentsTitle] }

  /// The view models of the comments, in their order. All use the same reading of the clock.
  public func map(_ comments: [ImageComment]) -> ImageCommentsViewModel {
    let now = currentDate()
    return ImageCommentsViewModel(
      comments: comments.map { comment in
        ImageCommentViewModel(
          id: comment.id, message: comment.message,
          date: dates.relative(comment.createdAt, to: now), username: comment.username)
      })
  }
}

/// The view model of the comments on an image.
public struct ImageCommentsViewModel: Sendable, Hashable {
  /// The comments, in their order.
  public let comments: [ImageCommentViewModel]
}

/// The view model of a comment.
public struct ImageCommentViewModel: Sendable, Hashable, Identifiable {
  /// The unique id of the comment.
  public let id: UUID
  /// The text of the comment.
  public let message: String
  /// The age of the comment: "5 minutes ago".
  public let date: String
  /// The author.
  public let username: String
}
