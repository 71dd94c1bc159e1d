import CLMDB
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The open `MDB_env` and its pool of readers; what `Environment` and its writer thread share.
///
/// `@unchecked Sendable`: the handle is set once; LMDB allows its use from
/// any thread. With `MDB_NOTLS` a read transaction belongs to whoever holds
/// it, and the pool gives each to one holder at a time. Write transactions
/// are begun and ended on the writer thread alone.
final class EnvironmentStore: @unchecked Sendable {
  /// Tells environments opened in this process apart, over time as well.
  let identifier: UInt64
  let path: String
  let file: FileSystem.Identity
  let mapSize: Int
  let handle: OpaquePointer
  private(set) var tables: [String: Table] = [:]

  private let processIdentifier = getpid()
  private let forkGeneration = ForkGuard.generation
  private let readers = Mutex(ReaderPool())
  private static let lastIdentifier = Atomic<UInt64>(0)

  /// A reset transaction, which may move to another thread under `MDB_NOTLS`.
  private struct Reader: @unchecked Sendable {
    let handle: OpaquePointer
  }

  private struct ReaderPool {
    static let capacity = 16
    var idle: [Reader] = []
    var active = 0
  }

  init(_ opened: OpenedHandle, path: String, tables: [String]) throws(LMDBError) {
    identifier = Self.lastIdentifier.add(1, ordering: .relaxed).newValue
    self.path = path
    self.handle = opened.handle
    self.mapSize = opened.mapSize
    self.file = opened.file
    readers.withLock { $0.idle.reserveCapacity(ReaderPool.capacity) }
    do throws(LMDBError) {
      let identifiers = try TableOpening.open(tables, in: opened.handle, path: path)
      self.tables = identifiers.mapValues { Table(identifier: $0, environment: identifier) }
    } catch {
      mdb_env_close(handle)
      throw error
    }
  }

  /// Ends the pooled readers and the environment. Nobody may use it any more.
  func close() {
    for reader in readers.withLock({ pool in pool.idle }) { mdb_txn_abort(reader.handle) }
    mdb_env_close(handle)
  }

  func error(_ code: CInt, _ action: String) -> LMDBError {
    LMDBError(resultCode: code, doing: action, path: path)
  }

  // MARK: Fork

  /// Whether this is another process than the one that opened the environment.
  ///
  /// Two loads; `verifyProcess` asks the system as well.
  var isForked: Bool { ForkGuard.generation != forkGeneration }

  func verifyProcess() throws(LMDBError) {
    if isForked || getpid() != processIdentifier { throw forked }
  }

  private var forked: LMDBError {
    LMDBError(
      .forked, "the store was opened before a fork; open it again in the child by exec", path: path)
  }

  // MARK: Readers

  /// A read transaction with a fresh snapshot; `release` must follow.
  func acquireReader() throws(LMDBError) -> OpaquePointer {
    if isForked { throw forked }
    let pooled = readers.withLock { pool in
      pool.active += 1
      return pool.idle.popLast()
    }
    if let pooled {
      if mdb_txn_renew(pooled.handle) == 0 { return pooled.handle }
      mdb_txn_abort(pooled.handle)
    }
    do throws(LMDBError) {
      return try beginReader()
    } catch {
      readers.withLock { pool in pool.active -= 1 }
      throw error
    }
  }

  /// Ends the snapshot and keeps the handle for the next reader.
  func release(reader: OpaquePointer) {
    mdb_txn_reset(reader)
    let pooled = Reader(handle: reader)
    let isPooled = readers.withLock { pool in
      pool.active -= 1
      guard pool.idle.count < ReaderPool.capacity else { return false }
      pool.idle.append(pooled)
      return true
    }
    if !isPooled { mdb_txn_abort(reader) }
  }

  private func beginReader() throws(LMDBError) -> OpaquePointer {
    var reader: OpaquePointer?
    var code = mdb_txn_begin(handle, nil, UInt32(MDB_RDONLY), &reader)
    if code == MDB_READERS_FULL {
      // Slots of killed processes stay taken until somebody looks.
      checkReaders()
      code = mdb_txn_begin(handle, nil, UInt32(MDB_RDONLY), &reader)
    }
    if code == MDB_MAP_RESIZED {
      try adoptMapSize(activeReaders: 1)
      code = mdb_txn_begin(handle, nil, UInt32(MDB_RDONLY), &reader)
    }
    guard code == 0, let reader else { throw error(code, "begin reading") }
    return reader
  }

  /// Frees the reader slots of processes that are gone; returns how many there were.
  @discardableResult
  func checkReaders() -> Int {
    var dead: CInt = 0
    return mdb_reader_check(handle, &dead) == 0 ? Int(dead) : 0
  }

  // MARK: Map size

  /// Takes over the map size another process has grown to.
  ///
  /// The map moves, so no reader of this process may be in it: waits up to
  /// two seconds for that, holding new ones off while it happens.
  ///
  /// - Parameter activeReaders: how many readers the caller itself accounts for
  func adoptMapSize(activeReaders: Int) throws(LMDBError) {
    for _ in 0..<2000 {
      let code: CInt? = readers.withLock { pool in
        pool.active > activeReaders ? nil : mdb_env_set_mapsize(handle, 0)
      }
      if code == 0 { return }
      if let code, code != EINVAL { throw error(code, "enlarge the map") }
      usleep(1000)
    }
    throw error(MDB_MAP_RESIZED, "enlarge the map")
  }
}
