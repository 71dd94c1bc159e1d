import Synchronization
import Threading

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Distinguishes a process from the one it was forked from.
///
/// A child inherits the map and the descriptors of an environment but not its slot in the reader
/// table. LMDB would still let the child use them. A fork handler increments a counter in the
/// child. Comparing it costs one load, while `getpid` is a system call.
///
/// Process-wide locks are held across a fork, so that the child's only thread can take them. Locks
/// of single environments are not, because a child uses nothing of them.
package enum ForkGuard {
  private static let count = Atomic<Int>(0)

  private static let isInstalled: Bool = {
    // Outer locks before inner ones: the holder of the registry's lock may ask which writers
    // wait.
    pthread_atfork(
      {
        EnvironmentRegistry.shared.lockBeforeFork()
        WaitingWriters.ofThreads.lockBeforeFork()
        PrivateDirectory.owners.lockBeforeFork()
        LockDescriptor.all.lockBeforeFork()
      },
      {
        LockDescriptor.all.unlockAfterFork()
        PrivateDirectory.owners.unlockAfterFork()
        WaitingWriters.ofThreads.unlockAfterFork()
        EnvironmentRegistry.shared.unlockAfterFork()
      },
      {
        _ = ForkGuard.count.wrappingAdd(1, ordering: .relaxed)
        LockDescriptor.all.unlockInForkedChild()
        LockDescriptor.closeAll()
        PrivateDirectory.owners.unlockInForkedChild()
        WaitingWriters.ofThreads.unlockInForkedChild()
        EnvironmentRegistry.shared.unlockInForkedChild()
      }) == 0
  }()

  /// The number of forks between this process and the first one that asked.
  package static var generation: Int { count.load(ordering: .relaxed) }

  /// Must be called before the first environment is opened, and before creating anything that asks
  /// for the generation. Returns false if the system refuses the handler.
  @discardableResult
  package static func install() -> Bool { isInstalled }
}

extension LMDBError {
  static func forked(_ path: String) -> LMDBError {
    LMDBError(
      .forked, "the store was opened before a fork; open it again in the child by exec", path: path)
  }
}
