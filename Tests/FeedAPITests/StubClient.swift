import FeedAPI

/// A client that answers every request with one response.
struct StubClient: FeedHTTPClient {
  let response: FeedHTTPResponse

  init(_ response: FeedHTTPResponse) { self.response = response }

  func get(_ request: FeedHTTPRequest) async throws -> FeedHTTPResponse { response }
}
