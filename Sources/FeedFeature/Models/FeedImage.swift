#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An image of the feed (Essential App, "Feed Image").
public struct FeedImage: Hashable, Sendable, Codable, Identifiable {
  /// Tells the image from all others; also the key of its record.
  public var id: UUID
  /// What it shows, where somebody has written that.
  public var description: String?
  /// Where it was taken, where somebody has written that.
  public var location: String?
  /// Where its data is; the key `image` in the payload.
  public var url: URL

  /// Makes a feed image; what the payload may leave out may be left out.
  public init(id: UUID, description: String? = nil, location: String? = nil, url: URL) {
    self.id = id
    self.description = description
    self.location = location
    self.url = url
  }

  private enum CodingKeys: String, CodingKey {
    case id, description, location
    case url = "image"
  }
}
