import CLMDB
import Threading

/// The environments that are open in this process, by device and inode of their data file.
///
/// `fcntl` locks belong to the process. A second `MDB_env` on the same file would clear the reader
/// table of the first, and drop its locks on close. Opening a file again therefore returns the same
/// environment, whatever path leads to it.
struct EnvironmentRegistry: Sendable {
  static let shared = EnvironmentRegistry()

  private struct Entry {
    /// Nil if the last reference is gone but the file is not closed yet.
    weak var environment: Environment?
    /// The directory of the environment.
    let path: String
    let writer: WriterThread
    /// The fork generation of the process that opened it.
    let forkGeneration = ForkGuard.generation
    /// Whether another file has replaced this one, which still has readers.
    var isRetired = false
  }

  private let entries = Monitor<[FileSystem.Identity: Entry]>([:])

  /// The environment of a directory, created if there is none.
  func open(
    _ directory: String, _ configuration: Environment.Configuration,
    in privateDirectory: PrivateDirectory? = nil
  ) throws(LMDBError) -> Environment {
    guard ForkGuard.install() else {
      throw LMDBError(.outOfMemory, "the system refused a fork handler", path: directory)
    }
    // Closing takes the lock, so the last reference to one of these must not be released under it.
    var seen: [Environment] = []
    defer { withExtendedLifetime(seen) {} }
    // A wait means that an environment on this file is being closed.
    return try entries.wait { entries throws(LMDBError) in
      let dataFile = try EnvironmentCreation.ensure(directory, configuration)
      if let entry = entries[dataFile.identity] {
        return try environment(of: entry, directory)
      }
      if let environment = try followed(to: dataFile, &entries, &seen) { return environment }
      try dataFile.verify()
      let environment = try Environment(
        dataFile.directory, configuration, in: privateDirectory)
      if let file = environment.store.file {
        entries[file.identity] = Entry(
          environment: environment, path: environment.path, writer: environment.writer)
      }
      return environment
    }
  }

  private func environment(
    of entry: Entry, _ directory: String
  ) throws(LMDBError) -> Environment? {
    // The code that would close it is in the parent.
    guard entry.forkGeneration == ForkGuard.generation else { throw .forked(directory) }
    if let environment = entry.environment { return environment }
    if entry.isRetired || WaitingWriters.current.contains(entry.writer) {
      throw LMDBError(.busy, "it is being closed; let its readers end", path: directory)
    }
    return nil
  }

  /// The open environment whose file was replaced by the given one.
  private func followed(
    to dataFile: DataFile, _ entries: inout [FileSystem.Identity: Entry],
    _ seen: inout [Environment]
  ) throws(LMDBError) -> Environment? {
    // Environments elsewhere are not retained: they would close later than their last users expect.
    let generation = ForkGuard.generation
    seen += entries.values.lazy
      .filter { $0.path == dataFile.directory && $0.forkGeneration == generation }
      .compactMap(\.environment)
    for environment in seen {
      guard let file = environment.store.file else { continue }
      do throws(LMDBError) {
        try follow(environment.store, from: file, &entries)
        return environment
      } catch {
        // The environment rejects the new file, so the caller gets a new environment for it.
        guard error.code == .closed else { throw error }
      }
    }
    return nil
  }

  /// Switches a store to the file that has replaced its own, or to a new lock file.
  ///
  /// - Parameter writes: whether to fail instead of continuing with a lock file that was removed
  /// - Returns: false if the store continues with the removed lock file, since no new one exists
  ///   yet
  /// - Throws: `closed` if there is no file at the path, or the store rejects the file
  @discardableResult
  func follow(
    _ store: EnvironmentStore, from file: MappedFile, writes: Bool = false
  ) throws(LMDBError) -> Bool {
    try entries.withLock { entries throws(LMDBError) in
      try follow(store, from: file, &entries, writes: writes)
    }
  }

  @discardableResult
  private func follow(
    _ store: EnvironmentStore, from file: MappedFile,
    _ entries: inout [FileSystem.Identity: Entry], writes: Bool = false
  ) throws(LMDBError) -> Bool {
    guard store.file === file else { return true }
    guard let dataFile = try EnvironmentCreation.existing(store.path) else {
      throw LMDBError(
        .closed, "the store was moved away while it was open; open it again", path: store.path)
    }
    if dataFile.identity == file.identity { return try reopenLock(of: store, file, writes: writes) }
    if let entry = entries[dataFile.identity] {
      throw LMDBError(
        entry.isRetired ? .busy : .closed,
        "the store was replaced, and what replaced it is open already; open it again",
        path: store.path)
    }
    try dataFile.verify()
    let replacement = try Self.open(store)
    let isClosed = store.replaceFile(file, with: replacement)
    entries[replacement.identity] = entries[file.identity]
    entries[file.identity]?.environment = nil
    entries[file.identity]?.isRetired = true
    if isClosed { entries[file.identity] = nil }
    return true
  }

  /// Opens a store's data file again if its lock file was removed. The old and the new lock file
  /// are different files, so closing one drops no lock on the other.
  ///
  /// A reader does not wait for a writer that still has the old lock file.
  private func reopenLock(
    of store: EnvironmentStore, _ file: MappedFile, writes: Bool
  ) throws(LMDBError) -> Bool {
    guard try store.isLockLost(of: file) else { return true }
    if let lock = try OpenedHandle.lockIdentity(in: store.path), store.hasRetired(lock: lock) {
      throw LMDBError(
        .busy, "lock.mdb was removed and put back while it was read; let the readers end",
        path: store.path)
    }
    let replacement: MappedFile
    do throws(LMDBError) {
      replacement = try Self.open(store, timeout: writes ? nil : .zero)
    } catch {
      if !writes, try OpenedHandle.lockIdentity(in: store.path) == nil { return false }
      throw error
    }
    // Another file has just replaced the data file; the caller finds it next.
    guard replacement.identity == file.identity else {
      replacement.close()
      return true
    }
    store.supersede(file, by: replacement)
    return true
  }

  /// Opens the file in a store's directory with the store's own options.
  private static func open(
    _ store: EnvironmentStore, timeout: Duration? = nil
  ) throws(LMDBError) -> MappedFile {
    let opened = try OpenedHandle.open(store.path, store.configuration, timeout: timeout)
    let file = try MappedFile(opened, path: store.path, tables: store.configuration.tables)
    do throws(LMDBError) {
      // Tables open in the order of the configuration, so their identifiers are the same.
      guard file.tables == store.tables.mapValues(\.identifier) else {
        throw LMDBError(.closed, "the store was replaced; open it again", path: store.path)
      }
      var transaction: OpaquePointer?
      let code = mdb_txn_begin(file.handle, nil, UInt32(MDB_RDONLY), &transaction)
      guard code == 0, let transaction else { throw store.error(code, "begin reading") }
      defer { mdb_txn_abort(transaction) }
      try store.configuration.accept(
        ReadTransaction(handle: transaction, store: .passUnretained(store)),
        Tables(store.tables, path: store.path))
    } catch {
      file.close()
      throw error
    }
    return file
  }

  /// Reopens the file of a store after a failure that LMDB remembers until it is closed.
  ///
  /// - Throws: `closed` if another file has replaced it. The store then has no file, and opening
  ///   the directory again gives another store.
  func reopen(
    _ store: EnvironmentStore, _ file: MappedFile, users: Int
  ) throws(LMDBError) {
    try entries.withLock { entries throws(LMDBError) in
      defer { if store.file == nil { entries[file.identity] = nil } }
      try store.reopen(file, users: users)
    }
  }

  // MARK: Forks

  func lockBeforeFork() { entries.lockBeforeFork() }
  func unlockAfterFork() { entries.unlockAfterFork() }
  func unlockInForkedChild() { entries.unlockInForkedChild() }

  // MARK: Closing

  /// Closes a file that is no longer used.
  ///
  /// After the close the system may give its inode to a new file, which must not be taken for this
  /// one. Both steps therefore happen under the lock.
  func close(_ file: MappedFile) {
    entries.withLock { entries in
      file.close()
      // Otherwise the same data file is still open, with another lock file.
      if !file.isSuperseded { entries[file.identity] = nil }
    }
  }

  /// Closes all files of a store that is no longer used.
  func close(_ store: EnvironmentStore) {
    entries.withLock { entries in
      for file in store.close() { entries[file] = nil }
    }
  }
}
