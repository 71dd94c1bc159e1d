#if Server
  import FeedCore
  import Foundation
  import Testing

  @testable import FeedServer

  @Suite("The Cache-Control of a feed")
  struct CacheControlTests {
    @Test(
      "allows caches to serve it no longer than it is valid",
      arguments: [
        (.infinity, "max-age=60, stale-while-revalidate=600, stale-if-error=604800"),
        (5_000, "max-age=60, stale-while-revalidate=600, stale-if-error=4940"),
        (100.9, "max-age=60, stale-while-revalidate=40, stale-if-error=40"),
        (60, "max-age=60, must-revalidate"), (30, "max-age=30, must-revalidate"),
        (0, "max-age=0, must-revalidate"), (-1e12, "max-age=0, must-revalidate"),
      ] as [(Double, String)])
    func rest(_ seconds: Double, _ field: String) throws {
      let context = try ServerContext(
        ServedStore(FeedDatabase.openPrivate()), ServerConfiguration())
      #expect(context.cacheControl(validFor: seconds) == "public, \(field)")
    }

    @Test("follows the policy of the feed")
    func policy() async throws {
      let database = try FeedDatabase.universities(
        1, seconds: Date().timeIntervalSinceReferenceDate - 86_400 + 10_000)
      for (policy, most) in [(nil, 604_800), (CachePolicy(maximumAge: .days(1)), 9_940)] {
        var configuration = ServerConfiguration()
        configuration.policies[try FeedName("universities")] = policy
        try await TestServer.with(database, configuration) { server in
          let answer = try await server.get("/feeds/universities")
          #expect(answer.status == 200)
          let field = answer["cache-control"] ?? ""
          let seconds = field.matches(of: /stale-if-error=(\d+)/).first.flatMap { Int($0.1) }
          #expect((seconds ?? 0) <= most)
        }
      }
    }
  }
#endif
