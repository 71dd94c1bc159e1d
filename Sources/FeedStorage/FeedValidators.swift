/// What a server has said of a payload, by which it can be asked whether there is a newer one
/// (RFC 9110, section 8.8).
public struct FeedValidators: Hashable, Sendable {
  /// The value of `ETag`, quotes and all.
  public var entityTag: String?
  /// The value of `Last-Modified`.
  public var lastModified: String?

  /// Makes validators; both may be missing.
  public init(entityTag: String? = nil, lastModified: String? = nil) {
    self.entityTag = entityTag
    self.lastModified = lastModified
  }

  /// True if there is nothing to ask with.
  public var isEmpty: Bool { entityTag == nil && lastModified == nil }
}
