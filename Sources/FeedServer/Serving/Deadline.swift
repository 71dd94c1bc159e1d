import Synchronization

/// Waiting for work no longer than one wants to; the work goes on.
enum Deadline {
  /// The outcome of a task; nil where it is not there in time.
  ///
  /// - Throws: what the task threw; `CancellationError` where whoever waits is cancelled
  static func value<Value: Sendable>(
    of task: Task<Value, any Error>, within limit: Duration
  ) async throws -> Value? {
    let waiter = Waiter<Value>()
    let timer = Task {
      try await Task.sleep(for: limit)
      waiter.resume(nil)
    }
    defer { timer.cancel() }
    Task { waiter.resume(await task.result) }
    return try await withTaskCancellationHandler {
      try await waiter.outcome()?.get()
    } onCancel: {
      waiter.resume(.failure(CancellationError()))
    }
  }

  /// The outcome of work that is given up when nobody waits for it any more; nil where it is not
  /// there in time.
  static func value<Value: Sendable>(
    within limit: Duration, of body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value? {
    let task = Task { try await body() }
    defer { task.cancel() }
    return try await value(of: task, within: limit)
  }

  /// Somebody who waits, and is told once.
  private final class Waiter<Value: Sendable>: Sendable {
    typealias Outcome = Result<Value, any Error>?

    private enum State {
      case nobody
      case waiting(CheckedContinuation<Outcome, Never>)
      case told(Outcome)
    }

    private let state = Mutex(State.nobody)

    func outcome() async -> Outcome {
      await withCheckedContinuation { continuation in
        let outcome: Outcome? = state.withLock { state in
          if case .told(let outcome) = state { return .some(outcome) }
          state = .waiting(continuation)
          return nil
        }
        if let outcome { continuation.resume(returning: outcome) }
      }
    }

    func resume(_ outcome: Outcome) {
      let waiting = state.withLock { state -> CheckedContinuation<Outcome, Never>? in
        if case .told = state { return nil }
        defer { state = .told(outcome) }
        if case .waiting(let continuation) = state { return continuation }
        return nil
      }
      waiting?.resume(returning: outcome)
    }
  }
}
