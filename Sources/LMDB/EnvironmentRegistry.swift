import CLMDB
import Threading

/// The environments that are open in this process, by device and inode of their data file.
///
/// Locks of `fcntl` belong to the process: a second `MDB_env` on the same
/// file would clear the reader table under the first and drop its locks when
/// closed. So whoever opens a file again gets the same environment, whatever
/// path led there.
struct EnvironmentRegistry: Sendable {
  static let shared = EnvironmentRegistry()

  private struct Entry {
    /// Nil while the last reference has gone but the file is not closed yet.
    weak var environment: Environment?
    /// The directory of the environment.
    let path: String
    let writer: EnvironmentWriter
    /// Of the process that opened it.
    let forkGeneration = ForkGuard.generation
    /// Whether another file has taken the place of this one, which is still being read.
    var isRetired = false
  }

  private let entries = Monitor<[FileSystem.Identity: Entry]>([:])

  /// The environment of a directory, created where there is none.
  func open(
    _ directory: String, _ configuration: Environment.Configuration,
    in privateDirectory: PrivateDirectory? = nil
  ) throws(LMDBError) -> Environment {
    guard ForkGuard.install() else {
      throw LMDBError(.outOfMemory, "the system refused a fork handler", path: directory)
    }
    // The last reference to one of these must not go under the lock, which its closing takes.
    var seen: [Environment] = []
    defer { withExtendedLifetime(seen) {} }
    // Waiting means: an environment on this file is being closed right now.
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
    // Those who would close it are in the parent.
    guard entry.forkGeneration == ForkGuard.generation else { throw .forked(directory) }
    if let environment = entry.environment { return environment }
    if entry.isRetired || entry.writer.isAwaitingCaller {
      throw LMDBError(.busy, "it is being closed; let its readers end", path: directory)
    }
    return nil
  }

  /// The environment that had the file which stood where this one stands now.
  private func followed(
    to dataFile: DataFile, _ entries: inout [FileSystem.Identity: Entry],
    _ seen: inout [Environment]
  ) throws(LMDBError) -> Environment? {
    // Those elsewhere are not touched: they would close later than their last users expect.
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
        // It refuses the new file, so that stays with whoever opens it now.
        guard error.code == .closed else { throw error }
      }
    }
    return nil
  }

  /// Lets a store go on with the file that took the place of its own.
  ///
  /// - Throws: `closed` where there is none, or where the store refuses it
  func follow(_ store: EnvironmentStore, from file: MappedFile) throws(LMDBError) {
    try entries.withLock { entries throws(LMDBError) in
      try follow(store, from: file, &entries)
    }
  }

  private func follow(
    _ store: EnvironmentStore, from file: MappedFile,
    _ entries: inout [FileSystem.Identity: Entry]
  ) throws(LMDBError) {
    guard store.file === file else { return }
    guard let dataFile = try EnvironmentCreation.existing(store.path) else {
      throw LMDBError(
        .closed, "the store was moved away while it was open; open it again", path: store.path)
    }
    if dataFile.identity == file.identity { return }
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
  }

  /// The file in a store's directory, opened as the store's own was.
  private static func open(_ store: EnvironmentStore) throws(LMDBError) -> MappedFile {
    let opened = try OpenedHandle.open(store.path, store.configuration)
    let file = try MappedFile(opened, path: store.path, tables: store.configuration.tables)
    do throws(LMDBError) {
      // Tables are opened in the order of the configuration, so their identifiers are the same.
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

  /// Opens the file of a store again, after a failure that LMDB remembers until it is closed.
  ///
  /// - Throws: `closed` where another file has taken its place; the store has none from then on, and
  ///   whoever opens the directory again gets another store
  func reopen(
    _ store: EnvironmentStore, _ file: MappedFile, users: Int
  ) throws(LMDBError) {
    try entries.withLock { entries throws(LMDBError) in
      defer { if store.file == nil { entries[file.identity] = nil } }
      try store.reopen(file, users: users)
    }
  }

  // MARK: Forks

  func hold() { entries.hold() }
  func letGo() { entries.letGo() }
  func letGoInChild() { entries.letGoInChild() }

  // MARK: Closing

  /// Closes a file that nobody uses any more.
  ///
  /// Once it is closed the system may give its inode to a new file, which must not be taken for
  /// this one.
  func close(_ file: MappedFile) {
    entries.withLock { entries in
      file.close()
      entries[file.identity] = nil
    }
  }

  /// Closes all files of a store that nobody uses any more.
  func close(_ store: EnvironmentStore) {
    entries.withLock { entries in
      for file in store.close() { entries[file] = nil }
    }
  }
}
