import FeedPayloads

extension ResponseValidators {
  init(_ fields: HTTPFields) {
    // A tag that is not UTF-8, which it may be (RFC 9110, section 8.8.3), cannot be sent back; sent
    // back, an asterisk would stand for any feed there is (section 13.1.2).
    let entityTag = fields["ETag"].flatMap { $0.contains("\u{FFFD}") || $0 == "*" ? nil : $0 }
    self.init(entityTag: entityTag, lastModified: fields["Last-Modified"])
  }

  /// Whether these and others are of one content; nil where they do not tell.
  ///
  /// Tags decide where both have one, as weak as one of them is (RFC 9110, section 8.8.3.2):
  /// services take a tag for weak where they have packed what it is of.
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

  /// These, as a response says them anew that confirms them without a content (RFC 9111, section
  /// 3.2). A tag that was not asked with is left out: what it is of has not come.
  func updated(by newer: ResponseValidators) -> ResponseValidators {
    ResponseValidators(
      entityTag: entityTag.map { newer.entityTag ?? $0 },
      lastModified: newer.lastModified ?? lastModified)
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
