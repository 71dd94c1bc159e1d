import Synchronization

/// Lets concurrent callers with the same key share one request.
///
/// The request is a task of its own. A cancelled waiter receives a `CancellationError` at once and
/// the others keep waiting. When the last one is cancelled, the request is cancelled. A later
/// caller starts a new request.
package final class RequestCoalescer<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private typealias Waiter = CheckedContinuation<Value, any Error>

  private struct Request {
    let number: Int
    let task: Task<Void, Never>
    var waiters: [Int: Waiter]
  }

  private struct State {
    var requests: [Key: Request] = [:]
    /// The tasks that have not ended, including cancelled ones.
    var tasks: [Int: Task<Void, Never>] = [:]
    var count = 0

    mutating func nextNumber() -> Int {
      count += 1
      return count
    }
  }

  private let state = Mutex(State())

  package init() {}

  /// The value of the request in progress for this key, or of `operation` if there is none.
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

  /// Returns when no request is in progress, including cancelled ones that still clean up.
  /// Cancelling the calling task does not end the wait.
  package func waitUntilIdle() async {
    while let task = state.withLock({ $0.tasks.values.first }) { await task.value }
  }

  // Cancellation is checked under the lock. Either it is detected here, or `leave` runs later and
  // finds the waiter.
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
    // If all waiters of this request have left, the key may belong to a newer request.
    let waiters = state.withLock { state in
      state.tasks[number] = nil
      guard state.requests[key]?.number == number else { return [Int: Waiter]() }
      return state.requests.removeValue(forKey: key)?.waiters ?? [:]
    }
    for waiter in waiters.values { waiter.resume(with: result) }
  }
}
