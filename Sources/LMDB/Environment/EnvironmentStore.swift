import CLMDB
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The data file of an environment and its readers; shared by `Environment` and its writer thread.
///
/// The file can be replaced by this or another process. Tables and identifier stay the same.
///
/// `@unchecked Sendable`: with `MDB_NOTLS` a read transaction belongs to its current holder, and
/// the pool gives each to one holder at a time. Write transactions begin and end on the writer
/// thread only. That thread alone uses `changes` and `shortage`.
final class EnvironmentStore: @unchecked Sendable {
  /// Unique among all environments that this process has opened, including closed ones.
  let identifier: UInt64
  let path: String
  let configuration: Environment.Configuration
  let tables: [String: Table]

  /// The changes of the current write.
  var changes = TransactionChanges()
  /// The byte count of a write that failed for lack of space, until a write of that size succeeds.
  var shortage: Int?

  private let processIdentifier = getpid()
  private let forkGeneration = ForkGuard.generation
  private let state: Mutex<OpenFiles>
  private static let lastIdentifier = Atomic<UInt64>(0)

  init(_ opened: OpenedHandle, path: String, _ configuration: Environment.Configuration)
    throws(LMDBError)
  {
    let identifier = Self.lastIdentifier.add(1, ordering: .relaxed).newValue
    let file = try MappedFile(opened, path: path, tables: configuration.tables)
    self.identifier = identifier
    self.path = path
    self.configuration = configuration
    tables = file.tables.mapValues { Table(identifier: $0, environment: identifier) }
    state = Mutex(OpenFiles(file))
  }

  /// Ends the pooled readers and the environment, which must not be used afterwards.
  ///
  /// - Returns: the closed files
  @discardableResult
  func close() -> [FileSystem.Identity] {
    let files = state.withLock { state in
      state.replaceFile(with: nil)
      defer { state.retired = [] }
      return state.retired
    }
    for file in files { file.close() }
    return files.map(\.identity)
  }

  func error(_ code: CInt, _ action: String) -> LMDBError {
    LMDBError(resultCode: code, doing: action, path: path)
  }

  // MARK: Fork

  /// Whether this process is a fork of the one that opened the environment.
  ///
  /// Costs two loads; `verifyProcess` also asks the system.
  var isForked: Bool { ForkGuard.generation != forkGeneration }

  func verifyProcess() throws(LMDBError) {
    if isForked || getpid() != processIdentifier { throw forked }
  }

  private var forked: LMDBError { .forked(path) }

  /// Why there is no file in use.
  private var closed: LMDBError {
    state.withLock { state in state.failure }
      ?? LMDBError(.closed, "the store was closed; open it again", path: path)
  }

  // MARK: The file

  /// The current file; nil if it has been closed.
  var file: MappedFile? { state.withLock { state in state.current } }

  /// The current file, which stays open until `end`.
  func use() throws(LMDBError) -> MappedFile {
    let file = state.withLock { state in
      state.users += 1
      return state.current
    }
    guard let file else { throw closed }
    return file
  }

  /// The file that is at the path now, which stays open until `end`.
  func useCurrent() throws(LMDBError) -> MappedFile {
    for _ in 0..<Self.attempts {
      let file = try use()
      do throws(LMDBError) {
        if try !isReplaced(file) { return file }
        if try !EnvironmentRegistry.shared.follow(self, from: file) { return file }
      } catch {
        end(file)
        throw error
      }
      end(file)
    }
    throw replacedAgain
  }

  /// Ends a use. A file that has been replaced closes with its last use.
  func end(_ file: MappedFile) {
    guard let closing = state.withLock({ state in state.end(file) }) else { return }
    EnvironmentRegistry.shared.close(closing)
  }

  /// Switches to another file. The old one closes when its last reader ends.
  ///
  /// - Returns: whether the old file was closed at once
  func replaceFile(_ old: MappedFile, with new: MappedFile) -> Bool {
    let closing = state.withLock { state in
      state.replaceFile(with: new)
      return state.takeUnused(old)
    }
    closing?.close()
    return closing != nil
  }

  /// Closes the file and reopens it, after a failure that LMDB remembers until then. The registry
  /// calls this under its lock.
  ///
  /// - Parameter users: the number of uses that the caller itself holds
  func reopen(_ file: MappedFile, users: Int) throws(LMDBError) {
    try state.withLock { state throws(LMDBError) in
      guard state.current === file else { return }
      guard state.users <= users else { throw error(MDB_PANIC, "go on") }
      state.replaceFile(with: nil)
      state.retired.removeAll { $0 === file }
      file.close()
      do throws(LMDBError) {
        state.replaceFile(with: try opened(again: file.identity))
      } catch {
        // Later callers get this error instead of the general one for a closed store.
        state.failure = error
        throw error
      }
    }
  }

  /// The file at the path, if it is still the same. Another file has not been verified, and may
  /// even be open in this process.
  private func opened(again identity: FileSystem.Identity) throws(LMDBError) -> MappedFile {
    let replaced = LMDBError(
      .closed, "the store was replaced while it was reopened after a failure; open it again",
      path: path)
    guard try DataFile(in: path)?.identity == identity else { throw replaced }
    let opened = try OpenedHandle.open(path, configuration)
    let file = try MappedFile(opened, path: path, tables: configuration.tables)
    if file.identity == identity { return file }
    file.close()
    throw replaced
  }

  // MARK: Readers

  /// A read transaction with a fresh snapshot; `release` must follow.
  ///
  /// If the file was replaced, the snapshot is of the new one.
  func acquireReader() throws(LMDBError) -> OpaquePointer {
    if isForked { throw forked }
    let (pooled, lastSeen, file) = state.withLock { state in
      state.users += 1
      let lastSeen = state.isDue() ? -1 : state.lastSeen
      guard let pooled = state.idle.popLast() else {
        return (nil as OpenFiles.Reader?, -1, state.current)
      }
      return (pooled, lastSeen, nil)
    }
    if let pooled {
      let isRenewed = mdb_txn_renew(pooled.handle) == 0
      let commit = mdb_txn_id(pooled.handle)
      let isLast = MappedFile.lastCommit(of: mdb_txn_env(pooled.handle)) == commit
      if isRenewed, isLast, commit == lastSeen { return pooled.handle }
      return try acquireReader(pooled, isRenewed: isRenewed, isDue: lastSeen < 0 || !isLast)
    }
    guard let file else { throw closed }
    return try acquireNewReader(file)
  }

  static let attempts = 16

  /// A pooled transaction, unless a commit since the last check announces that the file was
  /// replaced.
  private func acquireReader(
    _ pooled: OpenFiles.Reader, isRenewed: Bool, isDue: Bool
  ) throws(LMDBError) -> OpaquePointer {
    let environment = UInt(bitPattern: mdb_txn_env(pooled.handle))
    let file = state.withLock { state in state.file(environment) }
    guard let file else { throw closed }
    do throws(LMDBError) {
      if isRenewed, try isCurrent(file, pooled.handle, isDue: isDue) { return pooled.handle }
    } catch {
      mdb_txn_abort(pooled.handle)
      end(file)
      throw error
    }
    mdb_txn_abort(pooled.handle)
    return try acquireNewReader(file)
  }

  /// A new transaction on a file that the caller uses, or on the one that has replaced it.
  private func acquireNewReader(_ file: MappedFile) throws(LMDBError) -> OpaquePointer {
    var file = file
    // Whether to use the file although its lock file was removed, since no new lock file exists.
    var isAccepted = false
    for _ in 0..<Self.attempts {
      do throws(LMDBError) {
        let reader = try beginReader(file)
        do throws(LMDBError) {
          if isAccepted { return reader }
          if try isCurrent(file, reader, isDue: true) { return reader }
        } catch {
          mdb_txn_abort(reader)
          throw error
        }
        mdb_txn_abort(reader)
      } catch {
        end(file)
        throw error
      }
      end(file)
      isAccepted = try !EnvironmentRegistry.shared.follow(self, from: file)
      file = try use()
    }
    end(file)
    throw replacedAgain
  }

  var replacedAgain: LMDBError {
    LMDBError(.busy, "the store is being replaced again and again; try later", path: path)
  }

  /// Whether a snapshot belongs to the file at the path.
  private func isCurrent(
    _ file: MappedFile, _ reader: OpaquePointer, isDue: Bool
  ) throws(LMDBError) -> Bool {
    let isAnnounced = ReplacementRecord.announcer(of: file.identity, reader) != nil
    if isDue || isAnnounced, try isReplaced(file) { return false }
    // The replacement can happen at any moment, and no further commit would announce it.
    if isAnnounced { return true }
    let commit = mdb_txn_id(reader)
    state.withLock { state in
      if state.current === file { state.lastSeen = commit }
    }
    return true
  }

  /// Whether another file, or none, is at the path of this one or of its lock file.
  func isReplaced(_ file: MappedFile) throws(LMDBError) -> Bool {
    if try DataFile(in: path)?.identity != file.identity { return true }
    return try isLockLost(of: file)
  }

  /// Whether the lock file was removed, as a cleanup of "stale" locks does. The next process to open
  /// the store makes another one. Neither of the two sees the commits and the readers of the other.
  func isLockLost(of file: MappedFile) throws(LMDBError) -> Bool {
    guard let lock = file.lock else { return false }
    return try OpenedHandle.lockIdentity(in: path) != lock
  }

  /// Whether a current or previous lock file was removed under a reader. What it reads may be
  /// overwritten, which looks like damage.
  var hasLostLock: Bool {
    let (file, hasSuperseded) = state.withLock { state in (state.current, state.hasSuperseded) }
    return hasSuperseded || file.map { (try? isLockLost(of: $0)) == true } ?? false
  }

  /// Waits for the readers of this process that began before the lock file was removed. Their
  /// snapshots are not in the new one, so the next write could overwrite them.
  func awaitSupersededReaders(_ deadline: ContinuousClock.Instant) throws(LMDBError) {
    while state.withLock({ state in state.hasSuperseded }) {
      guard ContinuousClock.now < deadline else {
        throw LMDBError(
          .busy,
          "lock.mdb was removed, and a read that began before that has not ended; let it end",
          path: path)
      }
      usleep(1000)
    }
  }

  /// Whether a previous file of this store that is still in use has this lock file.
  func hasRetired(lock: FileSystem.Identity) -> Bool {
    state.withLock { state in state.retired.contains { $0.lock == lock } }
  }

  /// Switches to the same data file, opened again with another lock file.
  func supersede(_ file: MappedFile, by new: MappedFile) {
    state.withLock { _ in file.isSuperseded = true }
    _ = replaceFile(file, with: new)
  }

  /// Ends the snapshot and keeps the handle for the next reader.
  func release(reader: OpaquePointer) {
    // In a child forked inside a body the slot belongs to the parent, which still reads.
    if isForked { return }
    mdb_txn_reset(reader)
    let environment = UInt(bitPattern: mdb_txn_env(reader))
    let pooled = OpenFiles.Reader(handle: reader)
    let (file, isPooled) = state.withLock { state -> (MappedFile?, Bool) in
      guard environment == state.environment, state.idle.count < OpenFiles.pooledReaders else {
        return (state.file(environment), false)
      }
      state.users -= 1
      state.idle.append(pooled)
      return (nil, true)
    }
    if isPooled { return }
    mdb_txn_abort(reader)
    if let file { end(file) }
  }

  private func beginReader(_ file: MappedFile) throws(LMDBError) -> OpaquePointer {
    var reader: OpaquePointer?
    var code = try begin(file, MDB_RDONLY, &reader)
    if code == MDB_READERS_FULL {
      // Slots of killed processes stay taken until a reader check.
      _ = file.checkReaders()
      code = try begin(file, MDB_RDONLY, &reader)
    }
    guard code == 0, let reader else { throw error(code, "begin reading") }
    return reader
  }

  /// Frees the reader slots of dead processes; returns their number.
  @discardableResult
  func checkReaders() -> Int {
    guard let file = try? use() else { return 0 }
    defer { end(file) }
    return file.checkReaders()
  }

  // MARK: Map size

  /// Begins a transaction on a file that the caller uses; returns LMDB's code. If another process
  /// has grown the file beyond the map, the map is enlarged first.
  func begin(
    _ file: MappedFile, _ flags: CInt, _ transaction: inout OpaquePointer?
  ) throws(LMDBError) -> CInt {
    let mappings = state.withLock { _ in file.mappings }
    let code = mdb_txn_begin(file.handle, nil, UInt32(flags), &transaction)
    guard code == MDB_MAP_RESIZED else { return code }
    try adoptMapSize(of: file, mapped: mappings)
    return mdb_txn_begin(file.handle, nil, UInt32(flags), &transaction)
  }

  /// Enlarges the map to cover a file that another process has grown.
  ///
  /// The map moves, so no thread of this process may be using it. Waits up to two seconds for that.
  /// Threads that come meanwhile cannot use the map either, and wait for the same. The first that
  /// finds all users waiting enlarges the map for all of them.
  ///
  /// - Parameter mappings: the file's value when the map was found too small
  private func adoptMapSize(of file: MappedFile, mapped mappings: Int) throws(LMDBError) {
    state.withLock { _ in file.waiting += 1 }
    defer { state.withLock { _ in file.waiting -= 1 } }
    for _ in 0..<2000 {
      let code: CInt? = state.withLock { state in
        if file.mappings != mappings { return 0 }
        let users = state.current === file ? state.users : file.users
        return users > file.waiting ? nil : file.adoptMapSize()
      }
      if code == 0 { return }
      if let code, code != EINVAL { throw error(code, "enlarge the map") }
      usleep(1000)
    }
    throw error(MDB_MAP_RESIZED, "enlarge the map")
  }
}
