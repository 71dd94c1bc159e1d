import LMDB

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
  init(beside environment: String, _ sharing: Sharing = .owner) throws(StoreError) {
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
    return try acquire(path, .exclusive, byte: 0).map { lock in FeedLock(lock, path) }
  }

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
      throw StoreError(error)
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

  private func acquire(
    _ path: String, _ kind: FileLock.Kind, byte: Int64
  ) throws(StoreError) -> FileLock? {
    if let absence { throw absence }
    do throws(LMDBError) {
      return try FileLock.acquire(path, kind, byte: byte, sharing)
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
