import FeedStorage
import Synchronization
import Threading

/// Copies feeds of a shared store that this host lacks, each once for all requests.
///
/// Does nothing for a store that is not a copy.
final class FeedCopies: Sendable {
  private enum Copy {
    case underWay(SharedTask<Void>)
    /// The copy is not repeated before this time, because clients retry at once.
    case failed(StoreError, until: ContinuousClock.Instant)
  }

  /// How long a request waits.
  private static let patience = Duration.seconds(30)
  private static let retryDelay = Duration.seconds(1)

  private let database: FeedDatabase
  private let copies = Mutex<[FeedName: Copy]>([:])

  init(_ database: FeedDatabase) { self.database = database }

  /// Copies a feed if the shared store has it and this host lacks it.
  ///
  /// - Throws: `busy` if it takes longer than a request waits; an error of the shared store
  func copyIfAbsent(_ name: FeedName) async throws {
    guard try database.mayCopy(name) else { return }
    guard let _: Void = try await task(name).value(within: Self.patience) else {
      throw Self.underWay(name)
    }
  }

  /// Begins to copy a feed if the shared store has it and this host lacks it. Returns whether the
  /// feed is being copied.
  ///
  /// - Throws: the error of a copy that failed within the last second
  func beginIfAbsent(_ name: FeedName) throws(StoreError) -> Bool {
    guard try database.mayCopy(name) else { return false }
    _ = try task(name)
    return true
  }

  static func underWay(_ name: FeedName) -> StoreError {
    StoreError(.busy, "the feed \(name) is being copied from the cluster; try again")
  }

  private func task(_ name: FeedName) throws(StoreError) -> SharedTask<Void> {
    try copies.withLock { copies throws(StoreError) in
      switch copies[name] {
      case .underWay(let task): return task
      // A copy that failed with `busy`, such as for lack of space, is retried at once.
      case .failed(let error, let until) where error.code != .busy && ContinuousClock.now < until:
        throw error
      case .failed, nil: break
      }
      let task = SharedTask { [self] in
        do {
          _ = try await onWorkerThread { [database] in try database.refresh(name) }
          end(name, nil)
        } catch {
          end(name, error as? StoreError)
          throw error
        }
      }
      copies[name] = .underWay(task)
      return task
    }
  }

  private func end(_ name: FeedName, _ error: StoreError?) {
    copies.withLock { copies in
      copies[name] = error.map { .failed($0, until: .now + Self.retryDelay) }
    }
  }
}
