#if Server
  import Synchronization
  import Testing

  @testable import FeedServer

  @Suite("A turnstile")
  struct TurnstileTests {
    @Test("lets no more tasks through at once than it has places, and each of them in the end")
    func places() async {
      let turnstile = Turnstile(3)
      let room = Room()
      await withTaskGroup { tasks in
        for _ in 0..<50 {
          tasks.addTask {
            await turnstile.enter()
            room.enter()
            await Task.yield()
            room.leave()
            turnstile.leave()
          }
        }
      }
      #expect(room.visits.most <= 3)
      #expect(room.visits.all == 50)
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
