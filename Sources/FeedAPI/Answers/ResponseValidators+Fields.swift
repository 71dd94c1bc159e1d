import FeedSchema

extension ResponseValidators {
  init(_ fields: FeedHTTPFields) {
    // A tag need not be UTF-8 (RFC 9110, section 8.8.3); one that is not cannot be sent back. An
    // asterisk would match any content (section 13.1.2).
    let entityTag = fields["ETag"].flatMap { $0.contains("\u{FFFD}") || $0 == "*" ? nil : $0 }
    self.init(entityTag: entityTag, lastModified: fields["Last-Modified"])
  }

  /// Whether these validators and others belong to the same content; nil if they cannot tell.
  ///
  /// Tags decide if both have one, even if one of them is weak (RFC 9110, section 8.8.3.2):
  /// services weaken a tag when they compress the content.
  func isOfSameContent(as others: ResponseValidators) -> Bool? {
    if let entityTag, let other = others.entityTag {
      return Self.opaque(entityTag) == Self.opaque(other)
    }
    if let lastModified, let other = others.lastModified { return lastModified == other }
    return nil
  }

  private static func opaque(_ tag: String) -> Substring {
    tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...]
  }

  /// These validators, updated from a response that confirms them without content (RFC 9111,
  /// section 3.2). A tag is ignored if the request had none: its content has not arrived.
  func updated(by newer: ResponseValidators) -> ResponseValidators {
    ResponseValidators(
      entityTag: entityTag.map { newer.entityTag ?? $0 },
      lastModified: newer.lastModified ?? lastModified)
  }
}

extension FeedHTTPRequest {
  /// The same request, made conditional: the service sends the resource only if it no longer
  /// matches the validators (RFC 9110, section 13.1).
  func ifChanged(since validators: ResponseValidators) -> FeedHTTPRequest {
    var request = self
    if let tag = validators.entityTag { request.fields["If-None-Match"] = tag }
    if let date = validators.lastModified { request.fields["If-Modified-Since"] = date }
    return request
  }
}
