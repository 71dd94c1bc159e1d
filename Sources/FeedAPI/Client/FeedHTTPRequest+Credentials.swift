#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension FeedHTTPRequest {
  /// The same request with the name and password of its URL moved into an `Authorization` of the
  /// Basic scheme (RFC 7617). An existing `Authorization` stays.
  ///
  /// - Throws: `request` if the name contains a colon, or name or password is not text.
  func movingCredentialsOfURL() throws(TransportError) -> FeedHTTPRequest {
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
