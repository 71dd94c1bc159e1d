public import FeedFeature

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

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

/// The view model of an image of the feed (Essential App, "Feed Image"), without its data: see
/// ``FeedImageDataViewModel``.
public struct FeedImageViewModel: Sendable, Hashable, Identifiable {
  /// The unique id of the image.
  public let id: UUID
  /// What it shows.
  public let description: String?
  /// Where it was taken.
  public let location: String?
  /// The URL of its data.
  public let url: URL

  /// Whether the location is shown at all.
  public var hasLocation: Bool { location != nil }

  /// Makes the view model of an image.
  public init(_ image: FeedImage) {
    id = image.id
    description = image.description
    location = image.location
    url = image.url
  }
}

extension FeedText {
  /// The text of a screen reader for an image: "Image: Brighton".
  ///
  /// - Parameter title: the title or description of the image.
  public func imageAlternative(_ title: String) -> String { format(.imageTitle, title) }
}
