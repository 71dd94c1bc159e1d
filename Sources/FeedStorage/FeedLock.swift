import LMDB
import Threading

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The lock of a feed that is being changed, and which thread of this process took it.
final class FeedLock: Sendable {
  enum Holder {
    /// An ingest that cannot go on before the caller returns.
    case caller
    case other
  }

  private struct State {
    /// By the path of the lock.
    var threads: [String: UInt64] = [:]
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
    let thread = CurrentThread.identifier
    Self.state.withLock { state in state.threads[path] = thread }
  }

  // The file is unlocked behind this, so that whoever locks it next is noted after it.
  deinit { Self.state.withLock { state in state.threads[path] = nil } }

  /// Nil where nobody in this process has the lock of this path.
  static func holder(_ path: String) -> Holder? {
    let thread = CurrentThread.identifier
    return state.withLock { state in
      guard let holder = state.threads[path] else { return nil }
      return holder == thread && state.callbacks[thread] != nil ? .caller : .other
    }
  }

  /// Runs what an ingest was given to call. An ingest that is begun in there must not wait for the
  /// one outside.
  static func duringCallback<R>(_ body: () -> R) -> R {
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
