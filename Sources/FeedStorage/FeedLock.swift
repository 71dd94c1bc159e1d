import LMDB
import Threading

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The lock of a feed that is being changed, as this process knows of it.
package final class FeedLock: Sendable {
  private struct State {
    /// The paths of the locks that are held.
    var paths: Set<String> = []
    /// Threads that run what an ingest was given to call, and how many of them one in another.
    var callbacks: [UInt64: Int] = [:]
  }

  private static let state: Monitor<State> = {
    // Else a child could find it locked for ever. Where the system refuses this, no store was opened:
    // that needs the same.
    pthread_atfork(
      { FeedLock.state.hold() }, { FeedLock.state.letGo() }, { FeedLock.state.letGoInChild() })
    return Monitor(State())
  }()

  private let lock: FileLock
  private let path: String

  init(_ lock: FileLock, _ path: String) {
    self.lock = lock
    self.path = path
    _ = Self.state.withLock { state in state.paths.insert(path) }
  }

  // The file is unlocked behind this, so that whoever locks it next is noted after it.
  deinit { _ = Self.state.withLock { state in state.paths.remove(path) } }

  /// Whether somebody in this process has the lock of this path.
  static func isHeldHere(_ path: String) -> Bool {
    state.withLock { state in state.paths.contains(path) }
  }

  /// Whether the calling thread runs what an ingest was given to call. It must not wait for a feed
  /// then: that of the ingest, which cannot go on before it returns, or one whose own ingest waits
  /// in such a call for the first.
  package static var isDuringCallback: Bool {
    let thread = CurrentThread.identifier
    return state.withLock { state in state.callbacks[thread] != nil }
  }

  /// Runs what an ingest was given to call.
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
