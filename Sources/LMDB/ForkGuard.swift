import Synchronization

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
package enum ForkGuard {
  private static let count = Atomic<Int>(0)

  private static let isInstalled: Bool = {
    pthread_atfork(nil, nil) { _ = ForkGuard.count.wrappingAdd(1, ordering: .relaxed) } == 0
  }()

  /// How many forks lie between this process and the one that first asked.
  package static var generation: Int { count.load(ordering: .relaxed) }

  /// Must be called before the first environment is opened.
  static func install() -> Bool { isInstalled }
}

extension LMDBError {
  static func forked(_ path: String) -> LMDBError {
    LMDBError(
      .forked, "the store was opened before a fork; open it again in the child by exec", path: path)
  }
}
