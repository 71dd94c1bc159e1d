import CLMDB

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Makes a new environment so that a crash at any moment leaves all of it or nothing.
///
/// LMDB's own creation can be cut off between its two meta pages, and such a
/// file can never be opened again. The environment is therefore made in a
/// sibling directory, with its tables and a first commit, and renamed.
enum EnvironmentCreation {
  /// The data file of a directory, which is created where it does not exist.
  static func ensure(
    _ directory: String, _ configuration: Environment.Configuration
  ) throws(LMDBError) -> DataFile {
    let resolved = FileSystem.resolved(directory)
    if let existing = try existing(resolved) { return existing }
    try create(resolved, configuration)
    // The name may have been relative to a directory that exists only now.
    guard let created = try DataFile(in: FileSystem.resolved(directory)) else {
      throw LMDBError(
        .damaged, "the directory is not empty and holds no data.mdb; choose or empty another one",
        path: directory)
    }
    return created
  }

  /// The data file of a directory, which is put back where a replacement was cut off.
  static func existing(_ directory: String) throws(LMDBError) -> DataFile? {
    let siblings = Siblings(of: directory)
    for _ in 0..<100 {
      if let file = try DataFile(in: directory) { return file }
      guard siblings.isBeingReplaced else { return nil }
      // The window is two renames wide, unless its process was killed there.
      siblings.putBack()
      usleep(1000)
    }
    if let file = try DataFile(in: directory) { return file }
    // To take it for absent would be to make an empty one in its place.
    throw LMDBError(
      .busy, "a process that replaces it has stopped half-way; let it go on, or end it",
      path: directory)
  }

  private static func create(
    _ directory: String, _ configuration: Environment.Configuration
  ) throws(LMDBError) {
    let parent = FileSystem.parent(of: directory) ?? "."
    try FileSystem.createDirectories(parent)
    if !configuration.allowsUnsafeFilesystem { try UnsafeFilesystem.refuse(parent) }
    let siblings = Siblings(of: directory)
    siblings.removeAbandoned()
    let held = try siblings.make(.creating)
    defer { withExtendedLifetime(held) {} }
    let temporary = held.path
    do throws(LMDBError) {
      try build(temporary, configuration)
      try FileSystem.synchronize(temporary)
      // Replaces an empty directory; fails where a concurrent creator was
      // faster, whose environment is then used.
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
    // It has not got its name yet, and nobody looks for this one.
    store.file?.isPlaced = true
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
