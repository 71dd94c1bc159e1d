import Testing
import Threading

@Suite("Work that callers share", .timeLimit(.minutes(10))) struct SingleFlightTests {
  private struct Failure: Error {}

  /// Returns when the monitor's value is true.
  private func isOpen(_ door: Monitor<Bool>) async {
    await door.suspend { isOpen in isOpen ? () : nil }
  }

  @Test("requests with the same key share one operation")
  func keys() async throws {
    let (flight, door, count) = (SingleFlight<Int, Int>(), Monitor(false), Monitor(0))
    let loads = (0..<10).map { number in
      Task {
        try await flight.value(for: number % 2) {
          count.withLock { $0 += 1 }
          await isOpen(door)
          return number % 2
        }
      }
    }
    await count.suspend { count in count == 2 ? () : nil }
    door.withLock { $0 = true }
    for (number, load) in loads.enumerated() { #expect(try await load.value == number % 2) }
  }

  @Test("a request whose only caller is cancelled is not idle until it has cleaned up")
  func idle() async {
    let (flight, door, hasEnded) = (SingleFlight<Int, Void>(), Monitor(false), Monitor(false))
    let hasBegun = Monitor(false)
    let load = Task {
      try await flight.value(for: 1) {
        hasBegun.withLock { $0 = true }
        await isOpen(door)
        #expect(Task.isCancelled)
        hasEnded.withLock { $0 = true }
      }
    }
    await isOpen(hasBegun)
    load.cancel()
    await #expect(throws: CancellationError.self) { try await load.value }
    door.withLock { $0 = true }
    await flight.waitUntilIdle()
    #expect(hasEnded.read { $0 })
  }

  @Test("a shared task continues after a caller's time limit, and later returns its value")
  func limit() async throws {
    let door = Monitor(false)
    let task = SharedTask {
      await isOpen(door)
      return 1
    }
    #expect(try await task.value(within: .zero) == nil)
    door.withLock { $0 = true }
    #expect(try await task.value() == 1)
    #expect(try await task.value(within: .zero) == 1)
  }

  @Test("a shared task continues when its only caller is cancelled")
  func cancelledCaller() async throws {
    let door = Monitor(false)
    let task = SharedTask { await isOpen(door) }
    let caller = Task { try await task.value() }
    caller.cancel()
    await #expect(throws: CancellationError.self) { try await caller.value }
    door.withLock { $0 = true }
    try await task.value()
  }

  @Test("every caller receives the error of a shared task")
  func failure() async {
    let task = SharedTask<Int> { throw Failure() }
    for _ in 0..<2 { await #expect(throws: Failure.self) { try await task.value() } }
  }
}
