#if Server
  import FeedCore
  import FeedServer
  import Foundation
  import Testing

  @Suite("A response that is larger than the write backlog of all clients")
  struct HTTPLargeAnswerTests {
    /// A store with feeds of a few records, each of a megabyte.
    private static func database() throws -> FeedDatabase {
      let database = try FeedDatabase.openPrivate()
      let text = String(repeating: "x", count: 1 << 20)
      let url = try #require(URL(string: "https://example.org/a"))
      let images = (0..<40).map { _ in
        FeedImage(id: UUID(), description: text, location: nil, url: url)
      }
      try database.insert(images, into: FeedName("feed"), referenceSeconds: 1)
      let articles = (0..<40).map { number in
        Article(
          source: Source(name: "S"), author: nil, title: "\(number)", description: text, url: url,
          urlToImage: nil, publishedAt: Date(timeIntervalSinceReferenceDate: 0), content: "")
      }
      try database.insert(articles, into: FeedName("news"), referenceSeconds: 1)
      let twins = (0..<40).map { number in
        University(name: "twin", country: text, alphaTwoCode: "\(number)")
      }
      try database.insert(twins, into: FeedName("universities"), referenceSeconds: 1)
      return database
    }

    @Test(
      "is complete",
      arguments: [
        ("/v1/feed?limit=40", "items"), ("/v2/top-headlines?pageSize=40", "articles"),
        ("/v2/top-headlines?pageSize=40&q=xxx", "articles"),
        ("/feeds/universities/records/twin?all=1", nil),
      ])
    func whole(target: String, key: String?) async throws {
      try await TestServer.with(Self.database()) { server in
        let answer = try await server.get(target)
        #expect(answer.status == 200)
        let body = try JSONSerialization.jsonObject(with: Data(answer.body))
        let records = key.flatMap { (body as? [String: Any])?[$0] } ?? body
        #expect((records as? [Any])?.count == 40)
      }
    }
  }
#endif
