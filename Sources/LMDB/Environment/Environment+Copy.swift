import CLMDB

extension Environment {
  /// Writes a consistent copy without free pages into an existing directory.
  ///
  /// The copy is one snapshot, so commits made during the copy use new pages. The copy is not
  /// synchronised.
  ///
  /// - Parameter waits: whether the copy may wait for the current write. It has to if LMDB finds
  ///   lost pages, because it then copies all pages. Never true inside a write.
  /// - Throws: `damaged` if pages were lost and the copy may not wait
  package func copy(to directory: String, waits: Bool) throws(LMDBError) {
    // If another process replaces the file during the copy, the copy has the state from its
    // beginning.
    let file = try store.useCurrent()
    defer { store.end(file) }
    var code = mdb_env_copy2(file.handle, directory, UInt32(MDB_CP_COMPACT))
    if code == MDB_INCOMPATIBLE {
      guard waits else {
        throw LMDBError(
          .damaged, "pages of it were lost; back it up and restore the backup", path: path)
      }
      FileSystem.removeFiles(in: directory)
      // LMDB would wait for the current write without a limit, so this waits first, with a timeout.
      var lock = WriterLock(path, file.identity)
      try lock?.acquire(WriterLock.Wait(timeout: store.configuration.writerTimeout))
      lock?.release()
      code = mdb_env_copy2(file.handle, directory, 0)
    }
    if code != 0 { throw LMDBError(resultCode: code, doing: "copy it", path: directory) }
  }

  /// Whether a path leads into the directory of this environment, even if nothing exists there yet.
  /// A file in that directory moves with it when the environment is replaced or moved aside.
  package func contains(_ target: String) throws(LMDBError) -> Bool {
    guard let own = try FileSystem.identity(of: path) else { return false }
    var existing = target
    while try FileSystem.identity(of: existing) == nil {
      guard let parent = FileSystem.parent(of: existing) else { return false }
      existing = parent
    }
    var ancestor: String? = FileSystem.resolved(existing)
    while let directory = ancestor {
      if try FileSystem.identity(of: directory) == own { return true }
      ancestor = FileSystem.parent(of: directory)
    }
    return false
  }

  /// Writes a consistent copy into a directory, which appears complete or not at all.
  ///
  /// - Parameters:
  ///   - prepare: changes the copy before it is visible
  ///   - synchronized: called when only the rename is left to do
  /// - Throws: `io` if the directory is not empty
  package func backUp(
    to directory: String,
    prepare: (String) throws(LMDBError) -> Void = { _ throws(LMDBError) in },
    synchronized: () throws(LMDBError) -> Void = { () throws(LMDBError) in }
  ) throws(LMDBError) {
    let temporaries = TemporaryDirectories(of: directory)
    temporaries.removeAbandoned()
    let locked = try temporaries.make(.creating)
    defer { withExtendedLifetime(locked) {} }
    let temporary = locked.path
    do throws(LMDBError) {
      try copy(to: temporary, waits: true)
      try prepare(temporary)
      try FileSystem.setMode(store.configuration.sharing.dataMode, of: temporary + "/data.mdb")
      try FileSystem.synchronize(temporary + "/" + DataFile.name)
      try FileSystem.synchronize(temporary)
      try synchronized()
      try FileSystem.rename(temporary, to: directory)
    } catch {
      FileSystem.removeDirectory(temporary)
      throw error
    }
    try FileSystem.synchronize(FileSystem.parent(of: directory) ?? ".")
  }
}
