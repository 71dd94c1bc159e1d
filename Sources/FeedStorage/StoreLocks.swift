import LMDB
import Threading

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The lock files of a store. Their locks are released when their processes end.
struct StoreLocks: Sendable {
  private let directory: String
  private let sharing: Sharing
  /// Why there are no lock files: a backup has none, and on a read-only file system none can be
  /// created.
  private let absence: StoreError?
  /// The leases of this process.
  private let leases: SharedLocks
  private var generations: String { directory + "/generations" }

  /// Derives the path from the environment's, not from the given store path. Processes that share
  /// the environment must share the locks, even through another name of the data file or another
  /// directory.
  init(forEnvironment environment: String, _ sharing: Sharing = .owner) throws(StoreError) {
    let store = environment[..<(environment.lastIndex(of: "/") ?? environment.endIndex)]
    directory = store + "/" + StoreFormat.locksDirectory
    self.sharing = sharing
    leases = SharedLocks(directory + "/generations", sharing)
    do throws(LMDBError) {
      try FileLock.createDirectory(directory, sharing)
      absence = nil
    } catch {
      guard error.isReadOnly else { throw StoreError(error) }
      absence = StoreError(error)
    }
  }

  /// Held while a feed is changed. Nil if another holder has it.
  func feed(_ name: FeedName) throws(StoreError) -> FeedLock? {
    let path = path(of: name)
    return try acquire(path, .exclusive, byte: 0, namesHolder: true).map { lock in
      FeedLock(lock, path)
    }
  }

  /// The process that changes a feed; nil if none does, or it cannot be found.
  func holder(of name: FeedName) -> Int32? { FileLock.holder(of: path(of: name)) }

  /// Whether this process changes a feed.
  func isHeldHere(_ name: FeedName) -> Bool { FeedLock.isHeldHere(path(of: name)) }

  private func path(of name: FeedName) -> String { directory + "/feed." + name.text }

  /// Held while a generation is built, and by a sweep that removes it.
  func building(_ generation: UInt64) throws(StoreError) -> FileLock? {
    try acquire(generations, .exclusive, byte: Int64(clamping: generation &* 2))
  }

  /// Held by a sweep that removes a generation. Excludes its readers.
  func removal(_ generation: UInt64) throws(StoreError) -> FileLock? {
    try acquire(generations, .exclusive, byte: Self.leaseByte(generation))
  }

  /// Held by the readers of a generation, so that no sweep removes it. Nil while a sweep does.
  func lease(_ generation: UInt64) throws(StoreError) -> GenerationLease? {
    // Without writers there is nothing to exclude.
    if absence != nil { return GenerationLease(nil, byte: 0, isConfirmed: true) }
    let byte = Self.leaseByte(generation)
    do throws(LMDBError) {
      switch try leases.acquire(byte: byte) {
      case .excluded: return nil
      case .unconfirmed: return GenerationLease(leases, byte: byte, isConfirmed: false)
      case .confirmed: return GenerationLease(leases, byte: byte, isConfirmed: true)
      }
    } catch {
      guard error.code == .notFound else { throw StoreError(error) }
      throw StoreError(
        .misuse, "the store was removed or moved away while it was open; open it again",
        path: directory, cause: error)
    }
  }

  private static func leaseByte(_ generation: UInt64) -> Int64 {
    Int64(clamping: generation &* 2 &+ 1)
  }

  /// Stored next to the locks, where a compaction or a restore does not touch it.
  func lookupCounters() -> LookupCounters {
    let path = directory + "/lookups"
    return LookupCounters(
      try? SharedByteMap.open(path, count: 0, counters: LookupCounters.count, sharing))
  }

  /// The times of requests. Only a near store with a limit has the file.
  ///
  /// - Parameter isCreated: whether to create a missing file.
  func requestTimes(isCreated: Bool) -> FeedRequestTimes {
    let (path, count) = (directory + "/requests", FeedRequestTimes.count)
    guard isCreated else {
      return FeedRequestTimes(
        try? SharedByteMap.openExisting(path, count: 0, counters: count) ?? nil)
    }
    return FeedRequestTimes(try? SharedByteMap.open(path, count: 0, counters: count, sharing))
  }

  private func acquire(
    _ path: String, _ kind: FileLock.Kind, byte: Int64, namesHolder: Bool = false
  ) throws(StoreError) -> FileLock? {
    if let absence { throw absence }
    do throws(LMDBError) {
      return try FileLock.acquire(path, kind, byte: byte, namesHolder: namesHolder, sharing)
    } catch {
      throw StoreError(error)
    }
  }
}

/// Keeps sweeps from removing a generation as long as the object lives.
final class GenerationLease: Sendable {
  /// Whether the process had a confirmed lease of the generation before.
  let isConfirmed: Bool
  private let locks: SharedLocks?
  private let byte: Int64

  fileprivate init(_ locks: SharedLocks?, byte: Int64, isConfirmed: Bool) {
    self.locks = locks
    self.byte = byte
    self.isConfirmed = isConfirmed
  }

  /// Records that the generation was still published when this lease was held.
  func confirm() { locks?.confirm(byte: byte) }

  deinit { locks?.release(byte: byte) }
}

/// The lock of a feed that is being changed, tracked within this process.
package final class FeedLock: Sendable {
  private struct LockTable {
    /// The paths of the locks that are held.
    var paths: Set<String> = []
    /// Threads that run callbacks of an ingest, with their nesting depth.
    var callbacks: [UInt64: Int] = [:]
  }

  private static let table: Monitor<LockTable> = {
    // Without this a child could find it locked forever. If the system refuses the handler, no
    // store was opened, because opening needs one too.
    pthread_atfork(
      { FeedLock.table.lockBeforeFork() }, { FeedLock.table.unlockAfterFork() },
      { FeedLock.table.unlockInForkedChild() })
    return Monitor(LockTable())
  }()

  private let lock: FileLock
  private let path: String

  init(_ lock: FileLock, _ path: String) {
    self.lock = lock
    self.path = path
    _ = Self.table.withLock { table in table.paths.insert(path) }
  }

  // The file is unlocked after this, so that the next holder is recorded later.
  deinit { _ = Self.table.withLock { table in table.paths.remove(path) } }

  /// Whether this process holds the lock of this path.
  static func isHeldHere(_ path: String) -> Bool {
    table.withLock { table in table.paths.contains(path) }
  }

  /// Whether the calling thread runs a callback of an ingest. It must not wait for a feed then. The
  /// ingest of that feed may be waiting for the callback, directly or through a callback of another
  /// ingest.
  package static var isDuringCallback: Bool {
    let thread = CurrentThread.identifier
    return table.withLock { table in table.callbacks[thread] != nil }
  }

  /// Runs a callback of an ingest.
  package static func duringCallback<R>(_ body: () -> R) -> R {
    let thread = CurrentThread.identifier
    table.withLock { table in table.callbacks[thread, default: 0] += 1 }
    defer {
      table.withLock { table in
        let depth = table.callbacks[thread, default: 1] - 1
        table.callbacks[thread] = depth > 0 ? depth : nil
      }
    }
    return body()
  }
}
