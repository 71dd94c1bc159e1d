import CLMDB

/// An LMDB environment: one directory, one writer at a time, readers that never wait.
///
/// Open at most once a process, whatever the path; closed when the last
/// reference goes.
package final class Environment: Sendable {
  /// How an environment is opened, and made where it does not exist.
  package struct Configuration: Sendable {
    /// The names of all tables; they are created where they are missing.
    package var tables: [String]
    /// What a commit survives. The first opener in a process decides.
    package var durability: Durability
    /// The address space for the map in bytes, halved where the system refuses it.
    package var mapSize = 1 << 40
    /// The slots of the reader table. The first process to open it decides.
    package var maximumReaders = 1024
    /// Who else may use new files.
    package var sharing = Sharing.owner
    /// Whether a network file system is taken, on which LMDB can lose and mix data.
    package var allowsUnsafeFilesystem = false
    /// Whether it is a new one in the temporary directory, removed when it is closed. Any path
    /// at or under `/dev/null` means the same.
    package var isEphemeral = false
    /// Runs in the first transaction of a new environment, which exists only with what it wrote.
    package var initialize: @Sendable (inout WriteTransaction, Tables) throws(LMDBError) -> Void = {
      _, _ in
    }
    /// Refuses, by throwing, a file that took the place of the one that was opened.
    package var accept: @Sendable (borrowing ReadTransaction, Tables) throws(LMDBError) -> Void = {
      _, _ in
    }

    package init(tables: [String], durability: Durability = .cache) {
      self.tables = tables
      self.durability = durability
    }
  }

  let store: EnvironmentStore
  /// Lends snapshots, as `read` does.
  package let readers: EnvironmentReaders
  let writer: EnvironmentWriter
  private let tables: Tables
  /// Removed with the environment that lies in it.
  private let privateDirectory: PrivateDirectory?

  /// Opens the environment in a directory, or makes one there.
  ///
  /// - Throws: `damaged` for a data file that LMDB did not write or that was
  ///   cut off; `permission`, `notFound`, `busy`, `diskFull` and the like
  package static func open(
    _ directory: String, _ configuration: Configuration
  ) throws(LMDBError) -> Environment {
    guard configuration.isEphemeral || PrivateDirectory.isMeant(by: directory) else {
      return try EnvironmentRegistry.shared.open(directory, configuration)
    }
    let holder = try PrivateDirectory()
    return try EnvironmentRegistry.shared.open(holder.path + "/store", configuration, in: holder)
  }

  /// Removes what processes that were killed have left beside the environments of a directory.
  package static func removeAbandoned(in directory: String) {
    for name in names(in: directory) { Siblings(of: directory + "/" + name).removeAbandoned() }
  }

  /// Whether a directory holds an environment.
  package static func exists(_ directory: String) throws(LMDBError) -> Bool {
    try EnvironmentCreation.existing(FileSystem.resolved(directory)) != nil
  }

  init(
    _ directory: String, _ configuration: Configuration, in privateDirectory: PrivateDirectory?
  ) throws(LMDBError) {
    if !configuration.allowsUnsafeFilesystem { try UnsafeFilesystem.refuse(directory) }
    let opened = try OpenedHandle.open(directory, configuration)
    let store = try EnvironmentStore(opened, path: directory, configuration)
    self.store = store
    readers = EnvironmentReaders(store)
    // Whatever writes also closes, so nothing can be under way then.
    writer = EnvironmentWriter(store) {
      EnvironmentRegistry.shared.close(store)
      privateDirectory?.remove()
    }
    tables = Tables(store.tables, path: directory)
    self.privateDirectory = privateDirectory
    store.checkReaders()
  }

  deinit {
    // In a forked child the thread does not exist and the locks are the parent's.
    if !store.isForked { writer.finish() }
  }

  /// The directory, without symbolic links.
  package var path: String { store.path }
  /// The address space that was granted, in bytes.
  package var mapSize: Int { store.file?.mapSize ?? 0 }
  /// Changes when a restored file takes the place of the one in use, not when a compacted one does.
  package var lineage: UInt64 { store.file?.lineage ?? 0 }

  /// Whether it can be read no more: another store was put in its place, or its file could not be
  /// opened again after a failure. Looks whether it was replaced.
  package var isClosed: Bool {
    do throws(LMDBError) {
      store.end(try store.useCurrent())
      return false
    } catch {
      return error.code == .closed || store.file == nil
    }
  }

  /// Whether there has been a write, for which a thread was started.
  package var hasWriterThread: Bool { writer.isStarted }

  /// The table of a name that was among the configuration.
  package func table(_ name: String) throws(LMDBError) -> Table {
    try tables.table(name)
  }

  // MARK: Reading

  /// Runs a body on a snapshot of what is committed right now.
  ///
  /// Costs two uncontended locks and the renewal of a pooled transaction.
  /// While a snapshot lives, the pages it sees cannot be used again: keep
  /// bodies short.
  @inlinable
  package func read<R: ~Copyable, Failure: LMDBErrorConvertible>(
    _ body: (borrowing ReadTransaction) throws(Failure) -> R
  ) throws(Failure) -> R {
    let reader: OpaquePointer
    do throws(LMDBError) {
      reader = try readers.acquire()
    } catch {
      throw Failure(error)
    }
    defer { readers.release(reader) }
    return try body(readers.transaction(reader))
  }

  // MARK: Readers of other processes

  /// Frees the reader slots of killed processes, whose snapshots hold pages back.
  ///
  /// - Returns: how many there were
  @discardableResult
  package func checkReaders() -> Int { store.checkReaders() }
}
