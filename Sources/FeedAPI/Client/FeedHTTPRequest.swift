import URLEscaping

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A GET request, the only kind that the loaders make.
public struct FeedHTTPRequest: Sendable, Hashable {
  /// The URL of the resource.
  public var url: URL
  /// Header fields, such as an `Authorization` of the service.
  public var fields: FeedHTTPFields

  /// Makes a request.
  public init(_ url: URL, fields: FeedHTTPFields = [:]) {
    self.url = url
    self.fields = fields
  }
}

extension FeedHTTPRequest {
  /// The same request with the name and password of its URL moved into an `Authorization` of the
  /// Basic scheme (RFC 7617). An existing `Authorization` stays.
  ///
  /// - Throws: `request` if the name contains a colon, or name or password is not text.
  package func movingCredentialsOfURL() throws(TransportError) -> FeedHTTPRequest {
    guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true),
      parts.percentEncodedUser != nil || parts.percentEncodedPassword != nil
    else { return self }
    let (name, password) = (parts.user ?? "", parts.password ?? "")
    // A part that cannot be decoded is empty or nil.
    guard name.isEmpty == (parts.percentEncodedUser ?? "").isEmpty,
      password.isEmpty == (parts.percentEncodedPassword ?? "").isEmpty, !name.contains(":")
    else {
      throw TransportError(.request, "the name and password of the URL cannot be sent")
    }
    (parts.user, parts.password) = (nil, nil)
    var request = self
    request.url = parts.url ?? url
    if request.fields["Authorization"] == nil {
      let pair = Data("\(name):\(password)".utf8).base64EncodedString()
      request.fields["Authorization"] = "Basic \(pair)"
    }
    return request
  }
}

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
  package func redirected(by status: Int, _ fields: FeedHTTPFields) -> FeedHTTPRequest? {
    guard [301, 302, 303, 307, 308].contains(status), let location = fields["Location"],
      let target = URL(escaping: location, relativeTo: url),
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
