#if Server
  import FeedCore
  import Foundation
  import TestSupport
  import Testing

  @Suite("The end of serve", .timeLimit(.minutes(5)))
  struct ServeEndTests {
    private let workspace: Workspace

    init() throws { workspace = try Workspace() }

    @Test(
      "waits until a response in progress is complete", arguments: [SIGTERM, SIGINT])
    func drain(signal: Int32) async throws {
      let count = 50_000
      let file = try workspace.file("u.json", Payload.universities((0..<count).map { "U\($0)" }))
      try #require(try workspace.feedcore("ingest", file).status == 0)
      let (command, address) = try await workspace.startServer()
      let url = try #require(
        URL(string: "/feeds/universities?format=ndjson", relativeTo: address))
      let client = AsyncHTTPTransport()
      // The sockets hold a small part of the body, so the server is still sending.
      let body = try await client.get(FeedHTTPRequest(url)).body.makeAsyncIterator()
      var lines = 0
      var isAsked = false
      while let chunk = try await body.next() {
        lines += chunk.count { $0 == UInt8(ascii: "\n") }
        if !isAsked { command.send(signal) }
        isAsked = true
      }
      #expect(lines == count)
      await client.shutdown()
      #expect(try await command.waitWithoutBlocking() == 0)
    }
  }
#endif
