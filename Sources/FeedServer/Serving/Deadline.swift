import Synchronization

/// Waiting for work no longer than one wants to; the work goes on.
enum Deadline {
  /// The outcome of a task; nil where it is not there in time.
  static func value<Value: Sendable>(
    of task: Task<Value, any Error>, within limit: Duration
  ) async throws -> Value? {
    let result = await withCheckedContinuation {
      (continuation: CheckedContinuation<Result<Value, any Error>?, Never>) in
      let waiter = Waiter(continuation)
      let timer = Task {
        try await Task.sleep(for: limit)
        waiter.resume(nil)
      }
      Task {
        waiter.resume(await task.result)
        timer.cancel()
      }
    }
    return try result?.get()
  }

  /// Somebody who waits, and is told once.
  private final class Waiter<Value: Sendable>: Sendable {
    private let continuation: Mutex<CheckedContinuation<Value, Never>?>

    init(_ continuation: CheckedContinuation<Value, Never>) {
      self.continuation = Mutex(continuation)
    }

    func resume(_ value: Value) {
      let waiting = continuation.withLock { continuation in
        defer { continuation = nil }
        return continuation
      }
      waiting?.resume(returning: value)
    }
  }
}
