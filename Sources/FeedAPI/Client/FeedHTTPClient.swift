/// Fetches resources over HTTP.
///
/// `AsyncHTTPTransport` is this module's implementation. `URLSessionHTTPClient` of the product
/// `FeedURLSession` makes requests with `URLSession`. A stub for a test takes a few lines.
public protocol FeedHTTPClient: Sendable {
  /// Sends a GET request and returns when the head of the final response arrives, after redirects.
  ///
  /// A response of any status is a response and not an error. Its body is returned as received,
  /// with its content coding. It is fetched as it is read: without reads, nothing is received.
  /// Releasing the body cancels the response.
  ///
  /// - Throws: ``TransportError``; `CancellationError` if the task was cancelled. Reading the body
  ///   throws the same errors.
  func get(_ request: FeedHTTPRequest) async throws -> FeedHTTPResponse
}
