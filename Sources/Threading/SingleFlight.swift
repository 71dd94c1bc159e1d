import Synchronization

/// Lets concurrent callers with the same key share one request.
///
/// The request is a task of its own. A cancelled waiter receives a `CancellationError` at once and
/// the others keep waiting. When the last one is cancelled, the request is cancelled. A later
/// caller starts a new request.
package final class SingleFlight<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private struct Request {
    let task: SharedTask<Value>
    var waiterCount = 0
  }

  private struct State {
    var requests: [Key: Request] = [:]
    /// The tasks that have not ended, including cancelled ones.
    var tasks: [ObjectIdentifier: SharedTask<Value>] = [:]
  }

  private let state = Mutex(State())

  package init() {}

  /// The value of the request in progress for this key, or of `operation` if there is none.
  package func value(
    for key: Key, _ operation: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try Task.checkCancellation()
    let task = join(key, operation)
    defer { leave(key, task) }
    return try await task.value()
  }

  /// Returns when no request is in progress, including cancelled ones that still clean up.
  /// Cancelling the calling task does not end the wait.
  package func waitUntilIdle() async {
    while let task = state.withLock({ $0.tasks.values.first }) { await task.waitUntilEnded() }
  }

  private func join(
    _ key: Key, _ operation: @escaping @Sendable () async throws -> Value
  ) -> SharedTask<Value> {
    state.withLock { state in
      let task = state.requests[key]?.task ?? SharedTask(operation) { self.remove($0, key) }
      state.tasks[ObjectIdentifier(task)] = task
      state.requests[key, default: Request(task: task)].waiterCount += 1
      return task
    }
  }

  private func leave(_ key: Key, _ task: SharedTask<Value>) {
    let isAbandoned = state.withLock { state in
      // The key may belong to a newer request.
      guard state.requests[key]?.task === task else { return false }
      state.requests[key]?.waiterCount -= 1
      guard state.requests[key]?.waiterCount == 0 else { return false }
      state.requests[key] = nil
      return true
    }
    if isAbandoned { task.cancel() }
  }

  private func remove(_ task: SharedTask<Value>, _ key: Key) {
    state.withLock { state in
      state.tasks[ObjectIdentifier(task)] = nil
      if state.requests[key]?.task === task { state.requests[key] = nil }
    }
  }
}

/// A task whose value any number of callers await. It continues when no caller waits.
package final class SharedTask<Value: Sendable>: Sendable {
  private typealias Outcome = Result<Value, any Error>

  private struct Waiter {
    /// Receives nil if the value is not ready in time.
    let continuation: CheckedContinuation<Outcome?, Never>
    let timer: Task<Void, any Error>?
  }

  private struct State {
    var task: Task<Void, Never>?
    var outcome: Outcome?
    var waiters: [Int: Waiter] = [:]
    var waiterCount = 0
  }

  private let state = Mutex(State())

  /// Starts the task.
  ///
  /// - Parameter onEnd: runs after the operation, before any caller receives its value
  package init(
    _ operation: @escaping @Sendable () async throws -> Value,
    onEnd: @escaping @Sendable (SharedTask) -> Void = { _ in }
  ) {
    let task = Task {
      let outcome: Outcome
      do { outcome = .success(try await operation()) } catch { outcome = .failure(error) }
      onEnd(self)
      finish(outcome)
    }
    state.withLock { state in state.task = task }
  }

  /// The value.
  ///
  /// - Throws: what the operation threw; `CancellationError` if the caller is cancelled
  package func value() async throws -> Value {
    // Without a limit there is a value or an error.
    guard let value = try await value(within: nil) else { throw CancellationError() }
    return value
  }

  /// The value; nil if it is not ready in time.
  ///
  /// - Parameter limit: how long to wait; nil for any time
  /// - Throws: what the operation threw; `CancellationError` if the caller is cancelled
  package func value(within limit: Duration?) async throws -> Value? {
    let number = state.withLock { state in
      state.waiterCount += 1
      return state.waiterCount
    }
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { add($0, number, limit) }
    } onCancel: {
      resume(number, .failure(CancellationError()))
    }
    return try outcome?.get()
  }

  package func cancel() { state.withLock { state in state.task }?.cancel() }

  /// Returns when the task has ended.
  package func waitUntilEnded() async { await state.withLock { state in state.task }?.value }

  private func add(
    _ continuation: CheckedContinuation<Outcome?, Never>, _ number: Int, _ limit: Duration?
  ) {
    let outcome: Outcome? = state.withLock { state in
      if let outcome = state.outcome { return outcome }
      // From now on a cancelled caller is found among the waiting ones.
      if Task.isCancelled { return .failure(CancellationError()) }
      let timer = limit.map { limit in
        Task {
          try await Task.sleep(for: limit)
          resume(number, nil)
        }
      }
      state.waiters[number] = Waiter(continuation: continuation, timer: timer)
      return nil
    }
    if let outcome { continuation.resume(returning: outcome) }
  }

  private func resume(_ number: Int, _ outcome: Outcome?) {
    resume(state.withLock { $0.waiters.removeValue(forKey: number) }, outcome)
  }

  private func resume(_ waiter: Waiter?, _ outcome: Outcome?) {
    waiter?.timer?.cancel()
    waiter?.continuation.resume(returning: outcome)
  }

  private func finish(_ outcome: Outcome) {
    let waiters = state.withLock { state in
      state.outcome = outcome
      defer { state.waiters = [:] }
      return state.waiters.values
    }
    for waiter in waiters { resume(waiter, outcome) }
  }
}
