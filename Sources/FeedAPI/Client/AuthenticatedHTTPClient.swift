#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Adds header fields to all requests to one service, such as the key that it asks for.
///
/// The fields go to the service's origin alone: scheme, host and port. The images of its feed, and
/// further pages that lie elsewhere, are asked for without them, and so is what
/// ``AsyncHTTPTransport`` is redirected to at another origin.
public struct AuthenticatedHTTPClient: HTTPClient {
  private let decoratee: any HTTPClient
  private let fields: HTTPFields
  private let origin: Origin?

  /// Makes a client that asks another one.
  ///
  /// - Parameters:
  ///   - decoratee: what sends the requests.
  ///   - fields: what is added. A field that a request has itself stays as the request has it.
  ///   - service: any URL of the service; only its origin counts. For one that is none of HTTP
  ///     nothing is ever added.
  public init(_ decoratee: any HTTPClient, adding fields: HTTPFields, to service: URL) {
    self.decoratee = decoratee
    self.fields = fields
    origin = Origin(service)
  }

  public func get(_ request: HTTPRequest) async throws -> HTTPResponse {
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
