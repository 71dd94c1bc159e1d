/// What a service tells one state of a resource from another by, kept with what was received, so
/// that the next request asks for it only if it has changed (RFC 9110, section 8.8).
public struct ResponseValidators: Sendable, Hashable, Codable {
  /// The entity tag as it was sent, quotes and all.
  public var entityTag: String?
  /// The date of the last modification, as it was sent.
  public var lastModified: String?

  /// Makes validators; without either, a request asks for the resource as it is.
  public init(entityTag: String? = nil, lastModified: String? = nil) {
    self.entityTag = entityTag
    self.lastModified = lastModified
  }

  /// True if there is nothing to ask with.
  public var isEmpty: Bool { entityTag == nil && lastModified == nil }
}
