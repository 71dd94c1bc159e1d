import Synchronization

/// A semaphore for tasks: a limited number of them have a permit at once; the others wait in order
/// of arrival.
package final class AsyncSemaphore: Sendable {
  /// Receives whether the task has got a permit.
  private typealias Waiter = CheckedContinuation<Bool, Never>

  private struct State {
    var permits: Int
    /// The waiting tasks by number.
    var waiters: [Int: Waiter] = [:]
    /// No waiting task has a smaller number.
    var first = 0
    /// The number of the next task.
    var end = 0

    mutating func takePermit() -> Bool {
      guard permits > 0 else { return false }
      permits -= 1
      return true
    }

    mutating func popFirst() -> Waiter? {
      while first < end {
        first += 1
        if let waiter = waiters.removeValue(forKey: first - 1) { return waiter }
      }
      return nil
    }
  }

  private let state: Mutex<State>

  /// - Parameter permits: the number of tasks that may have a permit at once
  package init(_ permits: Int) { state = Mutex(State(permits: permits)) }

  /// Runs an operation with a permit. Cancellation of the task does not end the wait.
  package func withPermit<R, Failure: Error>(
    _ operation: () async throws(Failure) -> R
  ) async throws(Failure) -> R {
    let number = nextNumber()
    _ = await withCheckedContinuation { add($0, number, unlessCancelled: false) }
    defer { signal() }
    return try await operation()
  }

  /// Waits for a permit. `signal` must follow.
  ///
  /// - Throws: `CancellationError` if the task is cancelled before it gets one; no `signal` follows
  package func waitUnlessCancelled() async throws {
    if state.withLock({ $0.takePermit() }) { return }
    let number = nextNumber()
    let hasPermit = await withTaskCancellationHandler {
      await withCheckedContinuation { add($0, number, unlessCancelled: true) }
    } onCancel: {
      state.withLock { $0.waiters.removeValue(forKey: number) }?.resume(returning: false)
    }
    if !hasPermit { throw CancellationError() }
  }

  /// Returns a permit, which the first waiting task receives.
  package func signal() {
    let next = state.withLock { state in
      let next = state.popFirst()
      if next == nil { state.permits += 1 }
      return next
    }
    next?.resume(returning: true)
  }

  private func nextNumber() -> Int {
    state.withLock { state in
      defer { state.end += 1 }
      return state.end
    }
  }

  private func add(_ waiter: Waiter, _ number: Int, unlessCancelled: Bool) {
    let outcome: Bool? = state.withLock { state in
      // From now on a cancelled task is found among the waiting ones.
      if unlessCancelled, Task.isCancelled { return false }
      if state.takePermit() { return true }
      state.waiters[number] = waiter
      state.first = min(state.first, number)
      return nil
    }
    if let outcome { waiter.resume(returning: outcome) }
  }
}
