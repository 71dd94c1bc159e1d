/// The validators of a resource's state, stored with a response. The next request asks for the
/// resource only if it has changed (RFC 9110, section 8.8).
public struct ResponseValidators: Sendable, Hashable, Codable {
  /// The entity tag as received, including its quotes.
  public var entityTag: String?
  /// The date of the last modification, as received.
  public var lastModified: String?

  /// Creates validators; without either, a request is unconditional.
  public init(entityTag: String? = nil, lastModified: String? = nil) {
    self.entityTag = entityTag
    self.lastModified = lastModified
  }

  /// Whether there is no validator.
  public var isEmpty: Bool { entityTag == nil && lastModified == nil }
}
