import FeedCore
import Foundation
import Testing

/// Gives the same answer to every request.
private struct Service: FeedHTTPClient {
  var answer: Result<String, TransportError>

  func get(_ request: FeedHTTPRequest) async throws -> FeedHTTPResponse {
    FeedHTTPResponse(status: 200, body: FeedHTTPBody(Array(try answer.get().utf8)))
  }
}

@Suite("A custom payload from a service")
struct RecipeSourceTests {
  /// As the article `APayloadOfYourOwn` composes it.
  private func recipes(
    from url: URL, in database: FeedDatabase, _ client: any FeedHTTPClient
  ) async throws -> [Recipe] {
    let source = FeedSource(
      try FeedName("recipes"), from: url, in: database, schema: Recipe.schema, policy: .essential,
      client: client)
    let loader = FeedSourceLoader<Recipe>(source, onFallback: { print("cached, because \($0)") })
    return try await loader.load()
  }

  @Test("it is the latest payload, or the cached payload without connectivity")
  func remoteWithFallback() async throws {
    let url = try #require(URL(string: "https://example.com/recipes"))
    let database = try FeedDatabase.open(at: "/dev/null")
    let gone = Service(answer: .failure(TransportError(.connection, "no connection")))
    await #expect(throws: RemoteError.self) { try await recipes(from: url, in: database, gone) }
    let service = Service(
      answer: .success(
        #"{"recipes": [{"title": "Ful", "minutes": 40, "vegan": true, "steps": []}]}"#))
    let latest = try await recipes(from: url, in: database, service)
    #expect(latest.map(\.title) == ["Ful"])
    #expect(try await recipes(from: url, in: database, gone) == latest)
  }
}
