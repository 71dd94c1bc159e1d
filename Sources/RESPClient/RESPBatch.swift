#if Cluster
  import Synchronization

  /// The results of commands that several connections run, and the one task that waits for them.
  final class RESPBatch: Sendable {
    typealias Outcome = Result<RESPReply, RESPClientError>

    private struct State {
      var outcomes: [Outcome?]
      var missing: Int
      var waiter: CheckedContinuation<Void, Never>?
    }

    private let state: Mutex<State>

    init(count: Int) {
      state = Mutex(State(outcomes: Array(repeating: nil, count: count), missing: count))
    }

    /// Sets an outcome. The first one of a command counts; a reply after its deadline does not.
    func complete(_ index: Int, _ outcome: Outcome) {
      let waiter: CheckedContinuation<Void, Never>? = state.withLock { state in
        guard state.outcomes[index] == nil else { return nil }
        state.outcomes[index] = outcome
        state.missing -= 1
        return state.missing == 0 ? state.waiter.take() : nil
      }
      waiter?.resume()
    }

    /// Waits for all outcomes. If the task is cancelled, the missing ones are `cancelled`.
    func outcomes() async -> [Outcome] {
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          let isComplete = state.withLock { state in
            if state.missing > 0 { state.waiter = continuation }
            return state.missing == 0
          }
          if isComplete { continuation.resume() }
        }
      } onCancel: {
        cancel()
      }
      return state.withLock { state in
        state.outcomes.map { $0 ?? .failure(RESPClientError(.cancelled)) }
      }
    }

    private func cancel() {
      let waiter = state.withLock { state in
        for index in state.outcomes.indices where state.outcomes[index] == nil {
          state.outcomes[index] = .failure(RESPClientError(.cancelled))
        }
        state.missing = 0
        return state.waiter.take()
      }
      waiter?.resume()
    }
  }
#endif
