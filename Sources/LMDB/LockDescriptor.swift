import Threading

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An open file by which something is locked, until this object or its process goes.
///
/// Such a lock lasts as long as any process has the file open that was opened with it: a child that
/// was forked, and knows nothing of it, would keep it after its parent's end. So a child closes it at
/// once.
final class LockDescriptor: Sendable {
  /// All of this process; `ForkGuard` holds it over a fork.
  static let all: Monitor<Set<CInt>> = {
    // Where the system refuses this, no store is opened.
    ForkGuard.install()
    return Monitor([])
  }()

  /// To be called in a child.
  static func closeAll() {
    all.withLock { descriptors in
      for descriptor in descriptors { close(descriptor) }
      descriptors.removeAll(keepingCapacity: true)
    }
  }

  let number: CInt
  private let unlock: @Sendable (CInt) -> Void
  private let owner = getpid()

  /// Nil where the file cannot be opened; `errno` says why.
  ///
  /// - Parameters:
  ///   - open: under a lock, so that no process is forked between it and the note of it.
  ///   - unlock: gives the lock back, if it was taken.
  init?(_ open: () -> CInt, unlock: @escaping @Sendable (CInt) -> Void) {
    let (number, code) = Self.all.withLock { descriptors in
      let number = open()
      let code = errno
      if number >= 0 { descriptors.insert(number) }
      return (number, code)
    }
    guard number >= 0 else {
      errno = code
      return nil
    }
    self.number = number
    self.unlock = unlock
  }

  deinit {
    // A child has closed it.
    guard getpid() == owner else { return }
    // To close the file does not unlock it while another process has it: one that another thread has
    // just made, and that has not come to its exec.
    unlock(number)
    Self.all.withLock { descriptors in
      descriptors.remove(number)
      _ = close(number)
    }
  }
}
