#if Server
  import Synchronization
  import Testing

  @testable import FeedServer

  @Suite("A turnstile")
  struct TurnstileTests {
    @Test("lets no more tasks through at once than it has places, and each of them in the end")
    func places() async throws {
      let turnstile = Turnstile(3)
      let room = Room()
      try await withThrowingTaskGroup { tasks in
        for _ in 0..<50 {
          tasks.addTask {
            try await turnstile.enter()
            room.enter()
            await Task.yield()
            room.leave()
            turnstile.leave()
          }
        }
        try await tasks.waitForAll()
      }
      #expect(room.visits.most <= 3)
      #expect(room.visits.all == 50)
    }

    @Test("does not keep who is cancelled waiting, and loses no place by that")
    func cancelled() async throws {
      let turnstile = Turnstile(1)
      try await turnstile.enter()
      let waiting = (0..<20).map { _ in Task { try await turnstile.enter() } }
      for task in waiting { task.cancel() }
      for task in waiting {
        await #expect(throws: CancellationError.self) { try await task.value }
      }
      let last = Task { try await turnstile.enter() }
      turnstile.leave()
      try await last.value
    }
  }

  /// Counts who is in it.
  private final class Room: Sendable {
    private let counts = Mutex((now: 0, most: 0, all: 0))

    var visits: (most: Int, all: Int) { counts.withLock { ($0.most, $0.all) } }

    func enter() {
      counts.withLock { counts in
        counts.now += 1
        counts.most = max(counts.most, counts.now)
        counts.all += 1
      }
    }

    func leave() { counts.withLock { $0.now -= 1 } }
  }
#endif
