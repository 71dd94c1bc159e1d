import Synchronization
import Threading

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A cancellable load that was started with a completion.
///
/// The completion is called at most once, on a thread of the concurrency pool. A load continues
/// even if its task object is released; ``cancellingOnRelease()`` ends it with its owner.
public final class FeedLoaderTask: Sendable {
  private enum State {
    case loading
    /// The completion is running on this thread, which does nothing else meanwhile. A `cancel` call
    /// on the same thread therefore comes from the completion.
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

  /// Cancels the load. When this returns, the completion has finished or will never be called:
  /// neither data nor an error follows (all documents, "Cancel course").
  ///
  /// May be called from any thread, at any time, and from the completion itself. If the completion
  /// is running on another thread, this waits for it. The completion must therefore not wait for
  /// the caller, nor for a task that calls this.
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

extension FeedLoaderTask {
  /// A token that cancels this load when it is released.
  ///
  /// An object that keeps the token of its load, and is released while loading, receives neither
  /// data nor an error:
  ///
  /// ```swift
  /// final class FeedViewController {
  ///   private var load: LoadToken?
  ///   func refresh() { load = loader.load { … }.cancellingOnRelease() }
  /// }
  /// ```
  public func cancellingOnRelease() -> LoadToken { LoadToken(self) }
}

/// Cancels a load when it is released, as ``FeedLoaderTask/cancel()`` does.
public final class LoadToken: Sendable {
  /// The load.
  public let task: FeedLoaderTask

  init(_ task: FeedLoaderTask) { self.task = task }

  deinit { task.cancel() }
}

extension FeedLoader {
  /// Loads the feed for callback-based code.
  ///
  /// - Parameter completion: receives the feed or the error once, on a thread of the concurrency
  ///   pool. It is never called if the task was cancelled before.
  /// - Returns: a task that can cancel the load.
  @discardableResult
  public func load(
    completion: @escaping @Sendable (Result<[Item], any Error>) -> Void
  ) -> FeedLoaderTask {
    FeedLoaderTask({ try await load() }, completion: completion)
  }
}

extension FeedImageDataLoader {
  /// Loads an image for callback-based code.
  ///
  /// - Parameters:
  ///   - url: the URL of the image.
  ///   - completion: receives the bytes or the error once, on a thread of the concurrency pool. It
  ///     is never called if the task was cancelled before.
  /// - Returns: a task that can cancel the load.
  @discardableResult
  public func loadImageData(
    from url: URL, completion: @escaping @Sendable (Result<Data, any Error>) -> Void
  ) -> FeedLoaderTask {
    FeedLoaderTask({ try await loadImageData(from: url) }, completion: completion)
  }
}

extension DetailLoader {
  /// Loads details for callback-based code.
  ///
  /// - Parameters:
  ///   - key: the key of the item.
  ///   - completion: receives the details or the error once, on a thread of the concurrency pool.
  ///     It is never called if the task was cancelled before.
  /// - Returns: a task that can cancel the load.
  @discardableResult
  public func loadDetail(
    for key: Key, completion: @escaping @Sendable (Result<Detail, any Error>) -> Void
  ) -> FeedLoaderTask {
    FeedLoaderTask({ try await loadDetail(for: key) }, completion: completion)
  }
}
