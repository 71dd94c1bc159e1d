import LMDB
import Synchronization

/// The lock of a feed that is being changed, and which thread of this process took it.
final class FeedLock: Sendable {
  enum Holder {
    /// The calling thread, which would wait for itself.
    case caller
    case otherThread
  }

  private static let threads = Mutex<[String: UInt64]>([:])

  private let lock: FileLock
  private let path: String

  init(_ lock: FileLock, _ path: String) {
    self.lock = lock
    self.path = path
    let thread = CurrentThread.identifier
    Self.threads.withLock { threads in threads[path] = thread }
  }

  // The file is unlocked behind this, so that whoever locks it next is noted after it.
  deinit { Self.threads.withLock { threads in threads[path] = nil } }

  /// Nil where nobody in this process has the lock of this path.
  static func holder(_ path: String) -> Holder? {
    threads.withLock { threads in threads[path] }.map { thread in
      thread == CurrentThread.identifier ? .caller : .otherThread
    }
  }
}
