#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A comment on an image (Essential App, "Image Comment").
public struct ImageComment: Hashable, Sendable, Identifiable {
  /// The unique id of the comment; also the key of its record.
  public var id: UUID
  /// The text of the comment.
  public var message: String
  /// When it was written.
  public var createdAt: Date
  /// The author; `author.username` in the payload.
  public var username: String

  /// Makes a comment.
  public init(id: UUID, message: String, createdAt: Date, username: String) {
    self.id = id
    self.message = message
    self.createdAt = createdAt
    self.username = username
  }
}

extension ImageComment: Codable {
  private enum CodingKeys: String, CodingKey {
    case id, message, author
    case createdAt = "created_at"
  }

  private struct Author: Codable { var username: String }

  /// Decodes the payload contract, in which the author is an object.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.decode(UUID.self, forKey: .id)
    message = try container.decode(String.self, forKey: .message)
    createdAt = try container.decode(Date.self, forKey: .createdAt)
    username = try container.decode(Author.self, forKey: .author).username
  }

  /// Encodes the payload contract, in which the author is an object.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    try container.encode(message, forKey: .message)
    try container.encode(createdAt, forKey: .createdAt)
    try container.encode(Author(username: username), forKey: .author)
  }
}
