import Threading

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An open file that holds a lock as long as this object and its process live.
///
/// Such a lock lasts as long as any process has that open file. A forked child that does not know
/// of it would keep the lock after its parent has ended. A child therefore closes it at once.
final class LockDescriptor: Sendable {
  /// All descriptors of this process; `ForkGuard` holds the monitor across a fork.
  static let all: Monitor<Set<CInt>> = {
    // If the system refuses the fork handler, no store opens.
    ForkGuard.install()
    return Monitor([])
  }()

  /// Must be called in a forked child.
  static func closeAll() {
    all.withLock { descriptors in
      for descriptor in descriptors { close(descriptor) }
      descriptors.removeAll(keepingCapacity: true)
    }
  }

  let number: CInt
  private let unlock: @Sendable (CInt) -> Void
  private let owner = getpid()

  /// Nil if the file cannot be opened; `errno` has the reason.
  ///
  /// - Parameters:
  ///   - open: runs under a lock, so that no fork happens between it and the registration
  ///   - unlock: releases the lock, if it was taken
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
    // A child has already closed it.
    guard getpid() == owner else { return }
    // Closing the file does not unlock it while another process has it open, such as a child that
    // another thread has just forked and that has not reached its exec.
    unlock(number)
    Self.all.withLock { descriptors in
      descriptors.remove(number)
      _ = close(number)
    }
  }
}
