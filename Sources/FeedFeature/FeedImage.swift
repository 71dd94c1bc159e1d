#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An image of the feed (Essential App, "Feed Image").
public struct FeedImage: Hashable, Sendable, Codable, Identifiable {
  public var id: UUID
  public var description: String?
  public var location: String?
  public var url: URL

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
