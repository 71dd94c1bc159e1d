import FeedPayloads

extension ResponseValidators {
  init(_ fields: HTTPFields) {
    // A tag that is not UTF-8, which it may be (RFC 9110, section 8.8.3), cannot be sent back.
    let entityTag = fields["ETag"].flatMap { $0.contains("\u{FFFD}") ? nil : $0 }
    self.init(entityTag: entityTag, lastModified: fields["Last-Modified"])
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
