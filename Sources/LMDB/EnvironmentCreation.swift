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
    if let existing = try DataFile(in: resolved) { return existing }
    try create(resolved, configuration)
    // The name may have been relative to a directory that exists only now.
    guard let created = try DataFile(in: FileSystem.resolved(directory)) else {
      throw LMDBError(
        .damaged, "the directory is not empty and holds no data.mdb; choose or empty another one",
        path: directory)
    }
    return created
  }

  private static func create(
    _ directory: String, _ configuration: Environment.Configuration
  ) throws(LMDBError) {
    let parent = FileSystem.parent(of: directory) ?? "."
    try FileSystem.createDirectories(parent)
    try UnsafeFilesystem.refuse(parent)
    removeAbandoned(besides: directory, in: parent)
    let random = UInt32.random(in: .min ... .max)
    let temporary = "\(directory)\(infix)\(getpid()).\(random)"
    try FileSystem.createDirectories(temporary)
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
    let store = try EnvironmentStore(opened, path: directory, tables: configuration.tables)
    defer { store.close() }
    try store.transact { transaction throws(LMDBError) in
      try configuration.initialize(&transaction, Tables(store.tables, path: directory))
    }
    let code = mdb_env_sync(store.handle, 1)
    if code != 0 { throw store.error(code, "synchronise") }
    try FileSystem.synchronize(directory + "/" + DataFile.name)
  }

  // MARK: Left over by killed creators

  private static let infix = ".creating."

  /// Removes the directories of creators whose process no longer exists.
  private static func removeAbandoned(besides directory: String, in parent: String) {
    let base = directory.utf8.lastIndex(of: UInt8(ascii: "/")).map {
      String(directory[directory.index(after: $0)...])
    }
    let prefix = (base ?? directory) + infix
    for name in FileSystem.names(in: parent) where name.hasPrefix(prefix) {
      let digits = name.dropFirst(prefix.count).prefix { $0 != "." }
      guard let process = pid_t(digits), process > 0, process != getpid() else { continue }
      if kill(process, 0) != 0, errno == ESRCH {
        FileSystem.removeDirectory(parent + "/" + name)
      }
    }
  }
}
