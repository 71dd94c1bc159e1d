import Synchronization

/// Whether the process has been asked to stop, as by Ctrl-C.
///
/// ``request()`` ends all waits for other processes. A signal handler may call it.
package enum ProcessInterruption {
  private static let flag = Atomic<Bool>(false)

  /// Whether ``request()`` was called.
  package static var isRequested: Bool { flag.load(ordering: .relaxed) }

  /// Ends the current and all later waits for other processes. Read ``isRequested`` before the
  /// first call in a signal handler, which must not create the flag.
  package static func request() { flag.store(true, ordering: .relaxed) }
}
