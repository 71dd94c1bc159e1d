import Synchronization

/// Lets callers who want the same thing at the same time wait for one request.
///
/// The request is a task of its own. A waiter that is cancelled gets a `CancellationError` at once
/// and the others go on waiting; when the last one is cancelled, the request is. Who comes after
/// that, or after the end of the request, starts a new one.
package final class RequestCoalescer<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private typealias Waiter = CheckedContinuation<Value, any Error>

  private struct Request {
    let number: Int
    let task: Task<Void, Never>
    var waiters: [Int: Waiter]
  }

  private struct State {
    var requests: [Key: Request] = [:]
    /// Those that have not ended, the cancelled ones among them.
    var tasks: [Int: Task<Void, Never>] = [:]
    var count = 0

    mutating func nextNumber() -> Int {
      count += 1
      return count
    }
  }

  private let state = Mutex(State())

  package init() {}

  /// The value that the request under way for this key delivers, or that of `operation` where there
  /// is none.
  package func value(
    for key: Key, _ operation: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let waiter = state.withLock { $0.nextNumber() }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        join(key, as: waiter, continuation, operation)
      }
    } onCancel: {
      leave(key, as: waiter)
    }
  }

  /// Returns when no request is under way, also none that was cancelled and has something to clean
  /// up. A task that is cancelled waits all the same.
  package func waitUntilIdle() async {
    while let task = state.withLock({ $0.tasks.values.first }) { await task.value }
  }

  // The task's cancellation is looked at under the lock: either it is seen here, or `leave` comes
  // afterwards and finds the waiter.
  private func join(
    _ key: Key, as number: Int, _ waiter: Waiter,
    _ operation: @escaping @Sendable () async throws -> Value
  ) {
    let hasJoined = state.withLock { state in
      if Task.isCancelled { return false }
      if state.requests[key] == nil {
        let request = state.nextNumber()
        let task = Task { await run(operation, for: key, request) }
        state.requests[key] = Request(number: request, task: task, waiters: [:])
        state.tasks[request] = task
      }
      state.requests[key]?.waiters[number] = waiter
      return true
    }
    if !hasJoined { waiter.resume(throwing: CancellationError()) }
  }

  private func leave(_ key: Key, as number: Int) {
    let (waiter, abandoned) = state.withLock { state -> (Waiter?, Task<Void, Never>?) in
      guard let waiter = state.requests[key]?.waiters.removeValue(forKey: number) else {
        return (nil, nil)
      }
      guard state.requests[key]?.waiters.isEmpty == true else { return (waiter, nil) }
      return (waiter, state.requests.removeValue(forKey: key)?.task)
    }
    waiter?.resume(throwing: CancellationError())
    abandoned?.cancel()
  }

  private func run(
    _ operation: @Sendable () async throws -> Value, for key: Key, _ number: Int
  ) async {
    let result: Result<Value, any Error>
    do {
      result = .success(try await operation())
    } catch {
      result = .failure(error)
    }
    // Under this key there may be a younger request, if all waiters of this one have left.
    let waiters = state.withLock { state in
      state.tasks[number] = nil
      guard state.requests[key]?.number == number else { return [Int: Waiter]() }
      return state.requests.removeValue(forKey: key)?.waiters ?? [:]
    }
    for waiter in waiters.values { waiter.resume(with: result) }
  }
}
