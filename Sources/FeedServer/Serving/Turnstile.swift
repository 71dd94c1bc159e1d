#if Server
  import NIOCore
  import Synchronization

  /// A semaphore: a limited number of tasks pass at once; the others wait in order of arrival.
  final class Turnstile: Sendable {
    private struct Waiter {
      let number: Int
      let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
      var free: Int
      var lastNumber = 0
      var waiting = CircularBuffer<Waiter>()
    }

    private let state: Mutex<State>

    init(_ count: Int) { state = Mutex(State(free: count)) }

    /// Waits for a permit. Each permit is released once.
    ///
    /// - Throws: `CancellationError` if the task is cancelled before it gets one.
    func enter() async throws {
      let isFree = state.withLock { state in
        guard state.free > 0 else { return false }
        state.free -= 1
        return true
      }
      if !isFree { try await wait() }
    }

    private func wait() async throws {
      let number = state.withLock { state in
        state.lastNumber += 1
        return state.lastNumber
      }
      try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          add(Waiter(number: number, continuation: continuation))
        }
      } onCancel: {
        remove(number)?.resume(throwing: CancellationError())
      }
    }

    private func add(_ waiter: Waiter) {
      let outcome: Result<Void, any Error>? = state.withLock { state in
        // From now on a cancelled task is found among the waiting ones.
        if Task.isCancelled { return .failure(CancellationError()) }
        guard state.free > 0 else {
          state.waiting.append(waiter)
          return nil
        }
        state.free -= 1
        return .success(())
      }
      if let outcome { waiter.continuation.resume(with: outcome) }
    }

    /// Removes a waiting task; nil if it is not waiting.
    private func remove(_ number: Int) -> CheckedContinuation<Void, any Error>? {
      state.withLock { state in
        guard let place = state.waiting.firstIndex(where: { $0.number == number }) else {
          return nil
        }
        return state.waiting.remove(at: place).continuation
      }
    }

    func leave() {
      let next = state.withLock { state in
        let next = state.waiting.popFirst()
        if next == nil { state.free += 1 }
        return next
      }
      next?.continuation.resume()
    }
  }
#endif
