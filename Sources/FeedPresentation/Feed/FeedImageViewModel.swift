public import FeedFeature

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What is shown of an image of the feed (Essential App, "Feed Image"), but for its data: see
/// ``FeedImageDataViewModel``.
public struct FeedImageViewModel: Sendable, Hashable, Identifiable {
  /// Tells the image from all others.
  public let id: UUID
  /// What it shows.
  public let description: String?
  /// Where it was taken.
  public let location: String?
  /// Where its data is.
  public let url: URL

  /// Whether the place of the location is shown at all.
  public var hasLocation: Bool { location != nil }

  /// What is shown of an image.
  public init(_ image: FeedImage) {
    id = image.id
    description = image.description
    location = image.location
    url = image.url
  }
}
