public import FeedFeature

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

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
