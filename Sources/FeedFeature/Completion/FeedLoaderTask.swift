import Synchronization
import Threading

/// A load that was begun with a completion, and can be given up.
///
/// The completion is called once, on a thread of the concurrency pool, or never. A load goes on
/// whether or not anybody holds its task.
public final class FeedLoaderTask: Sendable {
  private enum State {
    case loading
    /// The completion runs on this thread, which does nothing else until that has ended: whoever
    /// cancels on it is called by the completion.
    case delivering(on: ThreadIdentity)
    case ended
  }

  private let state = Monitor(State.loading)
  private let work = Mutex<Task<Void, Never>?>(nil)

  init<Value: Sendable>(
    _ load: @escaping @Sendable () async throws -> Value,
    completion: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) {
    let work = Task {
      let result: Result<Value, any Error>
      do {
        result = .success(try await load())
      } catch {
        result = .failure(error)
      }
      deliver { completion(result) }
    }
    self.work.withLock { $0 = work }
  }

  private func deliver(_ complete: () -> Void) {
    let isWanted = state.withLock { state in
      guard case .loading = state else { return false }
      state = .delivering(on: .current)
      return true
    }
    guard isWanted else { return }
    complete()
    state.withLock { $0 = .ended }
  }

  /// Gives the load up. When this returns, the completion has run to its end or never will: neither
  /// data nor an error comes after it (all documents, "Cancel course").
  ///
  /// May be called from any thread, at any time, and from the completion itself. If the completion
  /// is running on another thread this waits for it, so the completion must not in turn wait for
  /// the caller; also where the caller is a task that the completion has begun.
  public func cancel() {
    work.withLock { $0 }?.cancel()
    state.wait { state -> Void? in
      switch state {
      case .loading, .ended:
        state = .ended
        return ()
      case .delivering(let thread):
        return thread == .current ? () : nil
      }
    }
  }
}
