import FeedAPI

/// A client that answers every request with one response.
struct StubClient: HTTPClient {
  let response: HTTPResponse

  init(_ response: HTTPResponse) { self.response = response }

  func get(_ request: HTTPRequest) async throws -> HTTPResponse { response }
}
