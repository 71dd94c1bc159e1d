#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An image of the feed (Essential App, "Feed Image").
public struct FeedImage: Hashable, Sendable, Codable, Identifiable {
  /// The unique id of the image; also the key of its record.
  public var id: UUID
  /// What it shows, if described.
  public var description: String?
  /// Where it was taken, if stated.
  public var location: String?
  /// The URL of its data; the key `image` in the payload.
  public var url: URL

  /// Makes a feed image. What is optional in the payload may be omitted.
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
