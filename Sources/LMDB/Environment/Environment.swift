import CLMDB

/// An LMDB environment: one directory, one writer at a time, readers that never wait.
///
/// An environment is open at most once per process, whatever path leads to it. It closes when the
/// last reference is released.
package final class Environment: Sendable {
  /// The options for opening or creating an environment.
  package struct Configuration: Sendable {
    /// The names of all tables. Missing ones are created.
    package var tables: [String]
    /// What a commit survives. The first opener in a process decides.
    package var durability: Durability
    /// The address space for the map in bytes; halved if the system refuses it. By default it covers
    /// the file system.
    package var mapSize: Int?
    /// The slots of the reader table. The first process to open the environment decides.
    package var maximumReaders = 1024
    /// How long a write waits for the writers of other processes.
    package var writerTimeout = WriterLock.Wait.defaultTimeout
    /// Which other users may use new files.
    package var sharing = Sharing.owner
    /// Whether to accept a network file system, on which LMDB can lose and mix data.
    package var allowsUnsafeFilesystem = false
    /// Whether to create a new environment in the temporary directory and remove it on close. Any
    /// path at or under `/dev/null` means the same.
    package var isEphemeral = false
    /// Runs in the first transaction of a new environment. The environment exists only with its
    /// result.
    package var initialize: @Sendable (inout WriteTransaction, Tables) throws(LMDBError) -> Void = {
      _, _ in
    }
    /// Throws to reject a file that has replaced the opened one.
    package var accept: @Sendable (borrowing ReadTransaction, Tables) throws(LMDBError) -> Void = {
      _, _ in
    }

    package init(tables: [String], durability: Durability = .cache) {
      self.tables = tables
      self.durability = durability
    }
  }

  let store: EnvironmentStore
  /// Provides snapshots, as `read` does.
  package let readers: EnvironmentReaders
  let writer: WriterThread
  private let tables: Tables
  /// The directory of an ephemeral environment, removed together with it.
  private let privateDirectory: PrivateDirectory?

  /// Opens the environment in a directory, or creates one there.
  ///
  /// - Throws: `damaged` for a data file that LMDB did not write or that was truncated;
  ///   `permission`, `notFound`, `busy`, `diskFull` and the like
  package static func open(
    _ directory: String, _ configuration: Configuration
  ) throws(LMDBError) -> Environment {
    guard configuration.isEphemeral || PrivateDirectory.isMeant(by: directory) else {
      return try EnvironmentRegistry.shared.open(directory, configuration)
    }
    let holder = try PrivateDirectory()
    return try EnvironmentRegistry.shared.open(holder.path + "/store", configuration, in: holder)
  }

  /// Removes what killed processes left next to the environments of a directory.
  package static func removeAbandoned(in directory: String) {
    for name in names(in: directory) {
      TemporaryDirectories(of: directory + "/" + name).removeAbandoned()
    }
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
    // Any writer still holds the environment, so no write can be in progress at close.
    writer = WriterThread(store) {
      EnvironmentRegistry.shared.close(store)
      privateDirectory?.remove()
    }
    tables = Tables(store.tables, path: directory)
    self.privateDirectory = privateDirectory
    store.checkReaders()
  }

  deinit {
    // In a forked child the thread does not exist, and the locks belong to the parent.
    if !store.isForked { writer.finish() }
  }

  /// The directory, without symbolic links.
  package var path: String { store.path }
  /// The granted address space in bytes.
  package var mapSize: Int { store.file?.mapSize ?? 0 }
  /// Changes when a restored file replaces the current one, but not when a compacted one does.
  package var lineage: UInt64 { store.file?.lineage ?? 0 }

  /// Whether reading is no longer possible: another store has replaced it, or its file could not be
  /// reopened after a failure. Checks whether it was replaced.
  package var isClosed: Bool {
    do throws(LMDBError) {
      store.end(try store.useCurrent())
      return false
    } catch {
      return error.code == .closed || store.file == nil
    }
  }

  /// Whether a write has started the writer thread.
  package var hasWriterThread: Bool { writer.isStarted }

  /// The table of a name from the configuration.
  package func table(_ name: String) throws(LMDBError) -> Table {
    try tables.table(name)
  }

  // MARK: Reading

  /// Runs a body on a snapshot of the current committed state.
  ///
  /// Costs two uncontended locks and the renewal of a pooled transaction. Pages that a live
  /// snapshot sees cannot be reused, so keep bodies short.
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

  /// Frees the reader slots of killed processes, whose snapshots keep pages from being reused.
  ///
  /// - Returns: the number of slots freed
  @discardableResult
  package func checkReaders() -> Int { store.checkReaders() }
}

/// Provides snapshots of an environment, which must stay open meanwhile.
///
/// A registry holds the environment weakly, so retaining the environment costs several times as
/// much as retaining this value. That difference is a tenth of the time of a single lookup.
package struct EnvironmentReaders: Sendable {
  private let store: EnvironmentStore

  init(_ store: EnvironmentStore) { self.store = store }

  /// Begins a snapshot of the current committed state; `release` must follow.
  @usableFromInline
  package func acquire() throws(LMDBError) -> OpaquePointer { try store.acquireReader() }

  /// Whether `lock.mdb` was removed under a reader. Inconsistent data may then not be damage.
  package var hasLostLock: Bool { store.hasLostLock }

  /// Ends the snapshot.
  @usableFromInline
  package func release(_ reader: OpaquePointer) { store.release(reader: reader) }

  /// The transaction to pass to a body between `acquire` and `release`.
  @usableFromInline
  package func transaction(_ reader: OpaquePointer) -> ReadTransaction {
    ReadTransaction(handle: reader, store: .passUnretained(store))
  }
}
