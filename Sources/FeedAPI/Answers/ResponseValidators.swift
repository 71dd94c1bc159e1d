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

extension ResponseValidators {
  init(_ fields: HTTPFields) {
    self.init(entityTag: fields["ETag"], lastModified: fields["Last-Modified"])
  }

  /// These, where a response that says "not modified" has none of its own (RFC 9111, section 3.2).
  func updated(by newer: ResponseValidators) -> ResponseValidators {
    ResponseValidators(
      entityTag: newer.entityTag ?? entityTag, lastModified: newer.lastModified ?? lastModified)
  }
}

extension HTTPRequest {
  /// The same request, which asks for a resource only if it is not what these validators tell of
  /// (RFC 9110, section 13.1).
  func ifChanged(since validators: ResponseValidators) -> HTTPRequest {
    var request = self
    if let tag = validators.entityTag { request.fields["If-None-Match"] = tag }
    if let date = validators.lastModified { request.fields["If-Modified-Since"] = date }
    return request
  }
}
