public import FeedFeature

/// Presents the feed of images (Essential App; Essential Feed App, 2020).
public struct FeedPresenter: Sendable {
  private let text: FeedText

  /// Makes a presenter in a language.
  public init(text: FeedText) { self.text = text }

  /// The title of the feed.
  public var title: String { text[.feedTitle] }

  /// The view models of the images, in the order of the feed.
  public func map(_ feed: [FeedImage]) -> [FeedImageViewModel] {
    feed.map(FeedImageViewModel.init)
  }
}
