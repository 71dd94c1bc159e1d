#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Adds header fields, such as an API key, to all requests to one service.
///
/// The fields go only to the service's origin: scheme, host and port. They are not sent to images
/// and further pages on other origins, nor to another origin that ``AsyncHTTPTransport`` is
/// redirected to.
public struct AuthenticatedHTTPClient: FeedHTTPClient {
  private let decoratee: any FeedHTTPClient
  private let fields: FeedHTTPFields
  private let origin: Origin?

  /// Makes a client that wraps another one.
  ///
  /// - Parameters:
  ///   - decoratee: the client that sends the requests.
  ///   - fields: the fields to add. A field that a request already has stays unchanged.
  ///   - service: any URL of the service; only its origin counts. Nothing is added if it is not an
  ///     HTTP URL.
  public init(_ decoratee: any FeedHTTPClient, adding fields: FeedHTTPFields, to service: URL) {
    self.decoratee = decoratee
    self.fields = fields
    origin = Origin(service)
  }

  public func get(_ request: FeedHTTPRequest) async throws -> FeedHTTPResponse {
    guard let origin, Origin(request.url) == origin else {
      return try await decoratee.get(request)
    }
    var authenticated = request
    for field in fields.all where request.fields[field.name] == nil {
      authenticated.fields.add(field.name, field.value)
    }
    return try await decoratee.get(authenticated)
  }
}
