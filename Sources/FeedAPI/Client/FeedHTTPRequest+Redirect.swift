#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension FeedHTTPRequest {
  /// Fields that describe the wanted response and do not identify the client. Only these are sent
  /// to an origin that the request was not made for.
  private static let neutralFields: Set<String> = [
    "accept", "accept-encoding", "accept-language", "if-modified-since", "if-none-match", "range",
    "user-agent",
  ]

  /// The request to which a response redirects this one (RFC 9110, section 15.4). Nil if it is not
  /// a redirect or its target is not an HTTP URL.
  ///
  /// At another origin the request's own fields are left out, since any of them may hold a key.
  func redirected(by status: Int, _ fields: FeedHTTPFields) -> FeedHTTPRequest? {
    guard [301, 302, 303, 307, 308].contains(status), let location = fields["Location"],
      let target = URL(string: location, relativeTo: url),
      var parts = URLComponents(url: target.absoluteURL, resolvingAgainstBaseURL: true)
    else { return nil }
    // Only the caller chooses credentials, so those of the target are dropped.
    (parts.user, parts.password, parts.fragment) = (nil, nil, nil)
    guard let next = parts.url, let origin = Origin(next) else { return nil }
    var request = self
    request.url = next
    if Origin(url) != origin {
      request.fields = FeedHTTPFields()
      for field in self.fields.all where Self.neutralFields.contains(field.name.lowercased()) {
        request.fields.add(field.name, field.value)
      }
    }
    return request
  }
}
