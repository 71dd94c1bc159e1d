#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension HTTPRequest {
  /// Fields that say how to answer, and nothing of who asks: the only ones that go to an origin for
  /// which the request was not made.
  private static let neutralFields: Set<String> = [
    "accept", "accept-encoding", "accept-language", "if-modified-since", "if-none-match", "range",
    "user-agent",
  ]

  /// The request to which a response redirects this one (RFC 9110, section 15.4); nil where it does
  /// not, or leads nowhere that HTTP goes.
  ///
  /// At another origin the request's own fields are left out, since a service may have asked for
  /// a key in any of them.
  func redirected(by status: Int, _ fields: HTTPFields) -> HTTPRequest? {
    guard [301, 302, 303, 307, 308].contains(status), let location = fields["Location"],
      let target = URL(string: location, relativeTo: url),
      var parts = URLComponents(url: target.absoluteURL, resolvingAgainstBaseURL: true)
    else { return nil }
    // Whom a request is sent as is for the one who sends it to say.
    (parts.user, parts.password, parts.fragment) = (nil, nil, nil)
    guard let next = parts.url, let origin = Origin(next) else { return nil }
    var request = self
    request.url = next
    if Origin(url) != origin {
      request.fields = HTTPFields()
      for field in self.fields.all where Self.neutralFields.contains(field.name.lowercased()) {
        request.fields.add(field.name, field.value)
      }
    }
    return request
  }
}
