import Synchronization
import Threading

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Tells a process from the one it was forked from.
///
/// A child inherits the map and the descriptors of an environment but not its
/// place in the reader table, and LMDB would let it use them all the same. A
/// count that a fork handler raises in the child costs one load to compare,
/// where `getpid` is a system call.
///
/// The locks of the whole process are held over a fork, so that a child, which has the forking thread
/// alone, can take them. Those of single environments are not: nothing of them is used in a child.
package enum ForkGuard {
  private static let count = Atomic<Int>(0)

  private static let isInstalled: Bool = {
    // Outer locks before inner ones: who has the registry's may ask what is being written.
    pthread_atfork(
      {
        EnvironmentRegistry.shared.hold()
        WritesUnderWay.ofThreads.hold()
        PrivateDirectory.owners.hold()
        LockDescriptor.all.hold()
      },
      {
        LockDescriptor.all.letGo()
        PrivateDirectory.owners.letGo()
        WritesUnderWay.ofThreads.letGo()
        EnvironmentRegistry.shared.letGo()
      },
      {
        _ = ForkGuard.count.wrappingAdd(1, ordering: .relaxed)
        LockDescriptor.all.letGoInChild()
        LockDescriptor.closeAll()
        PrivateDirectory.owners.letGoInChild()
        WritesUnderWay.ofThreads.letGoInChild()
        EnvironmentRegistry.shared.letGoInChild()
      }) == 0
  }()

  /// How many forks lie between this process and the one that first asked.
  package static var generation: Int { count.load(ordering: .relaxed) }

  /// Must be called before the first environment is opened, and before what asks for the generation
  /// is made; false where the system refuses.
  @discardableResult
  package static func install() -> Bool { isInstalled }
}

extension LMDBError {
  static func forked(_ path: String) -> LMDBError {
    LMDBError(
      .forked, "the store was opened before a fork; open it again in the child by exec", path: path)
  }
}
