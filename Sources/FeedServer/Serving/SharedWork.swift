import Synchronization

/// Work that continues independent of its waiters. A waiter that stops waiting leaves nothing in
/// it.
final class SharedWork<Value: Sendable>: Sendable {
  private struct State {
    var task: Task<Void, Never>?
    var result: Result<Value, any Error>?
    var waiters: [ObjectIdentifier: Waiter<Value>] = [:]
  }

  private let state = Mutex(State())

  /// Starts the work.
  init(_ body: @escaping @Sendable () async throws -> Value) {
    let task = Task {
      do {
        finish(.success(try await body()))
      } catch {
        finish(.failure(error))
      }
    }
    state.withLock { state in state.task = task }
  }

  /// The result; nil if it is not ready in time.
  ///
  /// - Throws: what the work threw; `CancellationError` if the caller is cancelled
  func value(within limit: Duration) async throws -> Value? {
    let waiter = Waiter<Value>()
    if let result = add(waiter) { return try result.get() }
    defer { remove(waiter) }
    let timer = Task {
      try await Task.sleep(for: limit)
      waiter.resume(nil)
    }
    defer { timer.cancel() }
    return try await withTaskCancellationHandler {
      try await waiter.outcome()?.get()
    } onCancel: {
      waiter.resume(.failure(CancellationError()))
    }
  }

  func cancel() { state.withLock { state in state.task }?.cancel() }

  /// Returns when the work has ended.
  func end() async { await state.withLock { state in state.task }?.value }

  private func finish(_ result: Result<Value, any Error>) {
    let waiters = state.withLock { state in
      state.result = result
      defer { state.waiters = [:] }
      return state.waiters.values
    }
    for waiter in waiters { waiter.resume(result) }
  }

  /// The result, if it is ready.
  private func add(_ waiter: Waiter<Value>) -> Result<Value, any Error>? {
    state.withLock { state in
      if state.result == nil { state.waiters[ObjectIdentifier(waiter)] = waiter }
      return state.result
    }
  }

  private func remove(_ waiter: Waiter<Value>) {
    state.withLock { state in _ = state.waiters.removeValue(forKey: ObjectIdentifier(waiter)) }
  }
}

/// A waiter, which is resumed once.
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
