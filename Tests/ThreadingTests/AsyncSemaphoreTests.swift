import Synchronization
import Testing
import Threading

@Suite("A semaphore for tasks") struct AsyncSemaphoreTests {
  @Test("never exceeds its number of permits, and each task gets a permit")
  func permits() async throws {
    let semaphore = AsyncSemaphore(3)
    let holders = Holders()
    try await withThrowingTaskGroup { tasks in
      for number in 0..<50 {
        tasks.addTask {
          if number.isMultiple(of: 2) {
            await semaphore.withPermit { await holders.visit() }
          } else {
            try await semaphore.waitUnlessCancelled()
            await holders.visit()
            semaphore.signal()
          }
        }
      }
      try await tasks.waitForAll()
    }
    #expect(holders.counts.maximum <= 3)
    #expect(holders.counts.total == 50)
  }

  @Test("a cancelled task stops waiting, and no permit is lost")
  func cancellation() async throws {
    let semaphore = AsyncSemaphore(1)
    try await semaphore.waitUnlessCancelled()
    let waiting = (0..<20).map { _ in Task { try await semaphore.waitUnlessCancelled() } }
    for task in waiting { task.cancel() }
    for task in waiting {
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    let last = Task { try await semaphore.waitUnlessCancelled() }
    semaphore.signal()
    try await last.value
  }

  @Test("an operation that runs with a permit waits for it even if its task is cancelled")
  func uncancelled() async throws {
    let semaphore = AsyncSemaphore(1)
    try await semaphore.waitUnlessCancelled()
    let operation = Task { await semaphore.withPermit { Task.isCancelled } }
    operation.cancel()
    semaphore.signal()
    #expect(await operation.value)
    try await semaphore.waitUnlessCancelled()
  }
}

/// Counts the tasks that have a permit.
private final class Holders: Sendable {
  private let state = Mutex((now: 0, maximum: 0, total: 0))

  var counts: (maximum: Int, total: Int) { state.withLock { ($0.maximum, $0.total) } }

  func visit() async {
    state.withLock { state in
      state.now += 1
      state.maximum = max(state.maximum, state.now)
      state.total += 1
    }
    await Task.yield()
    state.withLock { $0.now -= 1 }
  }
}
