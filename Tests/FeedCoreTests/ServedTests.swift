#if Remote
  import FeedCore
  import LoopbackServer
  import Synchronization
  import Testing

  /// What the tests of sources rely on.
  @Suite("A served answer", .timeLimit(.minutes(10)))
  struct ServedTests {
    @Test("is chosen before its request counts, so that a later answer does not replace it")
    func order() async throws {
      let counted = Mutex<Int?>(nil)
      let started = Mutex<LoopbackServer?>(nil)
      let server = try await LoopbackServer(choosing: { _ in
        let count = started.withLock { $0?.requests.count }
        counted.withLock { $0 = count }
        return { _ in ServedResponse(text: "answer") }
      })
      started.withLock { $0 = server }
      let client = AsyncHTTPTransport()
      _ = try await client.get(FeedHTTPRequest(server.url("/")))
      #expect(counted.withLock { $0 } == 0)
      #expect(server.requests.count == 1)
      started.withLock { $0 = nil }
      await client.shutdown()
      await server.stop()
    }
  }
#endif
