/// What fetches a resource over HTTP.
///
/// `AsyncHTTPTransport` is the one that this module brings; a stub for a test is a few lines.
public protocol HTTPClient: Sendable {
  /// Sends a GET request; returns when the head of the final response is there, after redirects.
  ///
  /// A response of any status is a response and no error. Its body is the one of the wire, with
  /// its content coding not undone, and is fetched as it is read: who does not read does not
  /// receive. A response of which nobody keeps the body is given up.
  ///
  /// - Throws: ``TransportError``; `CancellationError` where the task was cancelled. So does the
  ///   body when it is read.
  func get(_ request: HTTPRequest) async throws -> HTTPResponse
}
