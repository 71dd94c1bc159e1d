import CLMDB

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Creates a new environment so that a crash at any moment leaves all of it or nothing.
///
/// LMDB's own creation can stop between its two meta pages, and such a file can never be opened.
/// The environment is therefore built in a temporary directory next to it, with its tables and a
/// first commit, and renamed.
enum EnvironmentCreation {
  /// The data file of a directory, created if it does not exist.
  static func ensure(
    _ directory: String, _ configuration: Environment.Configuration
  ) throws(LMDBError) -> DataFile {
    let resolved = FileSystem.resolved(directory)
    if let existing = try existing(resolved) { return existing }
    try create(resolved, configuration)
    // The name may have been relative to a directory that did not exist before.
    guard let created = try DataFile(in: FileSystem.resolved(directory)) else {
      throw LMDBError(
        .damaged, "the directory is not empty and holds no data.mdb; choose or empty another one",
        path: directory)
    }
    return created
  }

  /// The data file of a directory, moved back first if a replacement was interrupted.
  static func existing(_ directory: String) throws(LMDBError) -> DataFile? {
    let temporaries = TemporaryDirectories(of: directory)
    for _ in 0..<100 {
      if let file = try DataFile(in: directory) { return file }
      guard temporaries.isBeingReplaced else { return nil }
      // The window between two renames is short, unless the process was killed in it.
      temporaries.restoreReplaced()
      usleep(1000)
    }
    if let file = try DataFile(in: directory) { return file }
    // Treating it as absent would create an empty environment in its place.
    throw LMDBError(
      .busy, "a process that replaces it has stopped half-way; let it continue, or end it",
      path: directory)
  }

  private static func create(
    _ directory: String, _ configuration: Environment.Configuration
  ) throws(LMDBError) {
    let parent = FileSystem.parent(of: directory) ?? "."
    try FileSystem.createDirectories(parent)
    if !configuration.allowsUnsafeFilesystem { try UnsafeFilesystem.refuse(parent) }
    let temporaries = TemporaryDirectories(of: directory)
    temporaries.removeAbandoned()
    let locked = try temporaries.make(.creating)
    defer { withExtendedLifetime(locked) {} }
    let temporary = locked.path
    do throws(LMDBError) {
      try build(temporary, configuration)
      try FileSystem.synchronize(temporary)
      // Replaces an empty directory. Fails if a concurrent creator was faster; its environment is
      // used then.
      if rename(temporary, directory) != 0 {
        let failure = errno
        guard failure == ENOTEMPTY || failure == EEXIST else {
          throw LMDBError.system(failure, doing: "create the store", path: directory)
        }
        FileSystem.removeDirectory(temporary)
        return
      }
    } catch {
      FileSystem.removeDirectory(temporary)
      throw error
    }
    try FileSystem.synchronize(parent)
  }

  private static func build(
    _ directory: String, _ configuration: Environment.Configuration
  ) throws(LMDBError) {
    let opened = try OpenedHandle.open(directory, configuration)
    let store = try EnvironmentStore(opened, path: directory, configuration)
    // The directory is not renamed yet, and no other process looks for this name.
    store.file?.isNameDurable = true
    defer { store.close() }
    try store.transact { transaction throws(LMDBError) in
      try configuration.initialize(&transaction, Tables(store.tables, path: directory))
    }
    let code = mdb_env_sync(opened.handle, 1)
    if code != 0 { throw store.error(code, "synchronise") }
    try configuration.sharing.apply(to: directory)
    try FileSystem.synchronize(directory + "/" + DataFile.name)
  }
}
