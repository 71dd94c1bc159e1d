import LMDB

/// The lock files of a store. Their locks are released when their processes end.
struct StoreLocks: Sendable {
  private let directory: String
  private let sharing: Sharing
  /// Why there are no lock files: a backup has none, and on a read-only file system none can be
  /// created.
  private let absence: StoreError?
  private var generations: String { directory + "/generations" }

  /// Derives the path from the environment's, not from the given store path. Processes that share
  /// the environment must share the locks, even through another name of the data file or another
  /// directory.
  init(beside environment: String, _ sharing: Sharing = .owner) throws(StoreError) {
    let store = environment[..<(environment.lastIndex(of: "/") ?? environment.endIndex)]
    directory = store + "/" + StoreFormat.locksDirectory
    self.sharing = sharing
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
    return try acquire(path, .exclusive, byte: 0).map { lock in FeedLock(lock, path) }
  }

  /// Whether this process changes a feed.
  func isHeldHere(_ name: FeedName) -> Bool { FeedLock.isHeldHere(path(of: name)) }

  private func path(of name: FeedName) -> String { directory + "/feed." + name.text }

  /// Held while a generation is built, and by a sweep that removes it.
  func building(_ generation: UInt64) throws(StoreError) -> FileLock? {
    try acquire(generations, .exclusive, byte: Int64(clamping: generation &* 2))
  }

  /// Shared by the scans of a generation; exclusive for the sweep that removes it.
  func lease(_ generation: UInt64, _ kind: FileLock.Kind) throws(StoreError) -> FileLock? {
    try acquire(generations, kind, byte: Int64(clamping: generation &* 2 &+ 1))
  }

  /// Stored next to the locks, where a compaction or a restore does not touch it.
  func lookupCounters() -> LookupCounters {
    let path = directory + "/lookups"
    return LookupCounters(
      try? SharedByteMap.open(path, count: 0, counters: LookupCounters.count, sharing))
  }

  private func acquire(
    _ path: String, _ kind: FileLock.Kind, byte: Int64
  ) throws(StoreError) -> FileLock? {
    if let absence {
      // Without writers there is nothing to exclude.
      guard kind == .shared else { throw absence }
      return .unneeded
    }
    do throws(LMDBError) {
      return try FileLock.acquire(path, kind, byte: byte, sharing)
    } catch {
      throw StoreError(error)
    }
  }
}
