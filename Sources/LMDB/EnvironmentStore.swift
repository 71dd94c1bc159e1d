import CLMDB
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The data file of an environment and its readers; what `Environment` and its writer thread share.
///
/// The file can be replaced, by this process or another; tables and identifier stay the same.
///
/// `@unchecked Sendable`: with `MDB_NOTLS` a read transaction belongs to whoever holds it, and the
/// pool gives each to one holder at a time. Write transactions are begun and ended on the writer
/// thread alone, and so is what only it uses: `tally` and `shortage`.
final class EnvironmentStore: @unchecked Sendable {
  /// Tells environments opened in this process apart, over time as well.
  let identifier: UInt64
  let path: String
  let configuration: Environment.Configuration
  let tables: [String: Table]

  /// What the write under way has changed.
  var tally = WriteTally()
  /// The bytes of a write for which there was no room, until as many have found some.
  var shortage: Int?

  private let processIdentifier = getpid()
  private let forkGeneration = ForkGuard.generation
  private let state: Mutex<State>
  private static let lastIdentifier = Atomic<UInt64>(0)

  private struct State {
    /// Nil once the file has been closed.
    var current: MappedFile?
    /// Replaced files that are still being read.
    var retired: [MappedFile] = []
  }

  init(_ opened: OpenedHandle, path: String, _ configuration: Environment.Configuration)
    throws(LMDBError)
  {
    let identifier = Self.lastIdentifier.add(1, ordering: .relaxed).newValue
    let file = try MappedFile(opened, path: path, tables: configuration.tables)
    self.identifier = identifier
    self.path = path
    self.configuration = configuration
    tables = file.tables.mapValues { Table(identifier: $0, environment: identifier) }
    state = Mutex(State(current: file))
  }

  /// Ends the pooled readers and the environment. Nobody may use it any more.
  ///
  /// - Returns: the files that were closed
  @discardableResult
  func close() -> [FileSystem.Identity] {
    let files = state.withLock { state in
      defer { state = State(current: nil) }
      return (state.current.map { [$0] } ?? []) + state.retired
    }
    for file in files { file.close() }
    return files.map(\.identity)
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

  private var closed: LMDBError {
    LMDBError(.closed, "the store was closed; open it again", path: path)
  }

  // MARK: The file

  /// The file in use right now; nil where it has been closed.
  var file: MappedFile? { state.withLock { state in state.current } }

  /// The file in use right now, which stays open until `end`.
  func use() throws(LMDBError) -> MappedFile {
    let file = state.withLock { state in
      state.current?.users += 1
      return state.current
    }
    guard let file else { throw closed }
    return file
  }

  /// Closes a file that was replaced meanwhile and that nobody else uses.
  func end(_ file: MappedFile) {
    let closing = state.withLock { state in
      file.users -= 1
      return Self.takeRetired(file, &state)
    }
    guard let closing else { return }
    closing.close()
    EnvironmentRegistry.shared.remove(closing.identity)
  }

  private static func takeRetired(_ file: MappedFile, _ state: inout State) -> MappedFile? {
    guard file.users == 0, file !== state.current,
      let index = state.retired.firstIndex(where: { $0 === file })
    else { return nil }
    return state.retired.remove(at: index)
  }

  /// Goes on with another file. The old one is closed when its last reader is done.
  ///
  /// - Returns: whether that was at once
  func replaceFile(_ old: MappedFile, with new: MappedFile) -> Bool {
    let closing = state.withLock { state in
      state.current = new
      state.retired.append(old)
      return Self.takeRetired(old, &state)
    }
    closing?.close()
    return closing != nil
  }

  /// Closes the file and opens it again, after a failure that LMDB remembers until then.
  ///
  /// - Parameter users: how many the caller itself accounts for
  func reopen(_ file: MappedFile, users: Int) throws(LMDBError) {
    try state.withLock { state throws(LMDBError) in
      guard state.current === file else { return }
      guard file.users <= users else { throw error(MDB_PANIC, "go on") }
      file.close()
      state.current = nil
      let opened = try OpenedHandle.open(path, configuration)
      state.current = try MappedFile(opened, path: path, tables: configuration.tables)
    }
  }

  // MARK: Readers

  /// A read transaction with a fresh snapshot; `release` must follow.
  ///
  /// Where the file was replaced, the snapshot is of the new one.
  func acquireReader() throws(LMDBError) -> OpaquePointer {
    if isForked { throw forked }
    for _ in 0..<Self.attempts {
      let (file, pooled, isDue) = state.withLock { state in
        let file = state.current
        file?.users += 1
        file?.snapshots &+= 1
        return (file, file?.idle.popLast(), (file?.snapshots ?? 0) % Self.looksAtPathEvery == 0)
      }
      guard let file else { throw closed }
      let reader = try begin(pooled, file)
      let commit = mdb_txn_id(reader)
      if !isDue, file.lastSeen.load(ordering: .relaxed) == commit { return reader }
      if try !isReplaced(file, reader, isDue: isDue) {
        file.lastSeen.store(commit, ordering: .relaxed)
        return reader
      }
      mdb_txn_abort(reader)
      end(file)
      try EnvironmentRegistry.shared.follow(self, from: file)
    }
    throw LMDBError(.busy, "the store is being replaced again and again; try later", path: path)
  }

  static let attempts = 16
  /// A file that was moved away without a record of it is noticed after so many snapshots.
  private static let looksAtPathEvery: UInt = 64

  private func isReplaced(
    _ file: MappedFile, _ reader: OpaquePointer, isDue: Bool
  ) throws(LMDBError) -> Bool {
    guard isDue || ReplacementRecord.isMoved(reader) else { return false }
    do throws(LMDBError) {
      return try isReplaced(file)
    } catch {
      mdb_txn_abort(reader)
      end(file)
      throw error
    }
  }

  /// Whether another file, or none, stands where this one was opened.
  func isReplaced(_ file: MappedFile) throws(LMDBError) -> Bool {
    try DataFile(in: path)?.identity != file.identity
  }

  /// Ends the snapshot and keeps the handle for the next reader.
  func release(reader: OpaquePointer) {
    mdb_txn_reset(reader)
    let environment = mdb_txn_env(reader)
    let pooled = MappedFile.Reader(handle: reader)
    let (file, isPooled) = state.withLock { state -> (MappedFile?, Bool) in
      guard let file = state.current, file.handle == environment else {
        return (state.retired.first { $0.handle == environment }, false)
      }
      guard file.idle.count < MappedFile.pooledReaders else { return (file, false) }
      file.users -= 1
      file.idle.append(pooled)
      return (nil, true)
    }
    if isPooled { return }
    mdb_txn_abort(reader)
    if let file { end(file) }
  }

  private func begin(
    _ pooled: MappedFile.Reader?, _ file: MappedFile
  ) throws(LMDBError) -> OpaquePointer {
    if let pooled {
      if mdb_txn_renew(pooled.handle) == 0 { return pooled.handle }
      mdb_txn_abort(pooled.handle)
    }
    do throws(LMDBError) {
      return try beginReader(file)
    } catch {
      end(file)
      throw error
    }
  }

  private func beginReader(_ file: MappedFile) throws(LMDBError) -> OpaquePointer {
    var reader: OpaquePointer?
    var code = mdb_txn_begin(file.handle, nil, UInt32(MDB_RDONLY), &reader)
    if code == MDB_READERS_FULL {
      // Slots of killed processes stay taken until somebody looks.
      _ = file.checkReaders()
      code = mdb_txn_begin(file.handle, nil, UInt32(MDB_RDONLY), &reader)
    }
    if code == MDB_MAP_RESIZED {
      try adoptMapSize(of: file, users: 1)
      code = mdb_txn_begin(file.handle, nil, UInt32(MDB_RDONLY), &reader)
    }
    guard code == 0, let reader else { throw error(code, "begin reading") }
    return reader
  }

  /// Frees the reader slots of processes that are gone; returns how many there were.
  @discardableResult
  func checkReaders() -> Int {
    guard let file = try? use() else { return 0 }
    defer { end(file) }
    return file.checkReaders()
  }

  // MARK: Map size

  /// Takes over the map size another process has grown to.
  ///
  /// The map moves, so nobody of this process may be in it: waits up to
  /// two seconds for that, holding new ones off while it happens.
  ///
  /// - Parameter users: how many the caller itself accounts for
  func adoptMapSize(of file: MappedFile, users: Int) throws(LMDBError) {
    for _ in 0..<2000 {
      let code: CInt? = state.withLock { _ in
        file.users > users ? nil : mdb_env_set_mapsize(file.handle, 0)
      }
      if code == 0 { return }
      if let code, code != EINVAL { throw error(code, "enlarge the map") }
      usleep(1000)
    }
    throw error(MDB_MAP_RESIZED, "enlarge the map")
  }
}
