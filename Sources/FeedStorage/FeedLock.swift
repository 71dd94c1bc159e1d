import LMDB
import Threading

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The lock of a feed that is being changed, tracked within this process.
package final class FeedLock: Sendable {
  private struct State {
    /// The paths of the locks that are held.
    var paths: Set<String> = []
    /// Threads that run callbacks of an ingest, with their nesting depth.
    var callbacks: [UInt64: Int] = [:]
  }

  private static let state: Monitor<State> = {
    // Without this a child could find it locked forever. If the system refuses the handler, no
    // store was opened, because opening needs one too.
    pthread_atfork(
      { FeedLock.state.lockBeforeFork() }, { FeedLock.state.unlockAfterFork() },
      { FeedLock.state.unlockInForkedChild() })
    return Monitor(State())
  }()

  private let lock: FileLock
  private let path: String

  init(_ lock: FileLock, _ path: String) {
    self.lock = lock
    self.path = path
    _ = Self.state.withLock { state in state.paths.insert(path) }
  }

  // The file is unlocked after this, so that the next holder is recorded later.
  deinit { _ = Self.state.withLock { state in state.paths.remove(path) } }

  /// Whether this process holds the lock of this path.
  static func isHeldHere(_ path: String) -> Bool {
    state.withLock { state in state.paths.contains(path) }
  }

  /// Whether the calling thread runs a callback of an ingest. It must not wait for a feed then. The
  /// ingest of that feed may be waiting for the callback, directly or through a callback of another
  /// ingest.
  package static var isDuringCallback: Bool {
    let thread = CurrentThread.identifier
    return state.withLock { state in state.callbacks[thread] != nil }
  }

  /// Runs a callback of an ingest.
  package static func duringCallback<R>(_ body: () -> R) -> R {
    let thread = CurrentThread.identifier
    state.withLock { state in state.callbacks[thread, default: 0] += 1 }
    defer {
      state.withLock { state in
        let depth = state.callbacks[thread, default: 1] - 1
        state.callbacks[thread] = depth > 0 ? depth : nil
      }
    }
    return body()
  }
}
