import CFeedCore
import LMDB
import Threading

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The threads that run what an ingest calls to tell its progress: the ingest has its feed's lock, so
/// nobody may wait for that in there.
enum ProgressCallback {
  private static let threads: Monitor<Set<UInt64>> = {
    // Else a child could find it locked for ever.
    pthread_atfork(
      { ProgressCallback.threads.hold() }, { ProgressCallback.threads.letGo() },
      { ProgressCallback.threads.letGoInChild() })
    return Monitor([])
  }()

  static func run<R>(_ body: () -> R) -> R {
    let thread = CurrentThread.identifier
    let isOuter = threads.withLock { threads in threads.insert(thread).inserted }
    defer {
      if isOuter { threads.withLock { threads in _ = threads.remove(thread) } }
    }
    return body()
  }

  static func refuseToWait() throws {
    let thread = CurrentThread.identifier
    guard threads.withLock({ threads in !threads.contains(thread) }) else {
      throw Failure(
        FEEDCORE_MISUSE, "a callback of an ingest cannot wait for a feed; try without FEEDCORE_WAIT"
      )
    }
  }
}
