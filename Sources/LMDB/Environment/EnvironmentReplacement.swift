import CLMDB

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Replaces the data file of an environment while processes are attached.
///
/// The old file announces the replacement first. From that commit on, readers check the path each
/// time, so none of them misses the replacement. The rest happens inside the next write transaction
/// of the old file, so nothing more is committed to it. A writer that waits for the lock finds
/// another file at the path and continues with it. At any interruption the path leads to the
/// complete old file or the complete new one.
extension Environment {
  /// The moments between which a replacement can be interrupted.
  package enum ReplacementStep: CaseIterable, Sendable {
    /// The old file announces that it will be replaced.
    case announced
    /// The new directory exists and is empty.
    case begun
    /// The new directory holds the data, which a power cut may undo.
    case built
    /// The new data survive a power cut.
    case synchronized
    /// Only if two names cannot be exchanged atomically: the old directory has been moved away.
    case movedAway
    /// The path leads to the new data, which a power cut may undo.
    case exchanged
    /// The old directory is removed.
    case removed
  }

  /// Replaces the data with the result of `build`.
  ///
  /// Waits for the current write and blocks other writes until it is done; readers continue.
  ///
  /// - Parameters:
  ///   - exchanges: whether to exchange two names atomically if the system can
  ///   - checkpoint: called at each step
  ///   - build: creates `data.mdb` in the given directory, without writing to this environment
  /// - Throws: also if the data were replaced but not durably; the message says so
  package func replace(
    exchanges: Bool = true,
    checkpoint: (ReplacementStep) throws(LMDBError) -> Void = { _ throws(LMDBError) in },
    build: (String) throws(LMDBError) -> Void
  ) throws(LMDBError) {
    let temporaries = TemporaryDirectories(of: path)
    temporaries.removeAbandoned()
    var replaced: String?
    var isAnnounced = false
    // The new directory, and the old one until it is moved.
    var locked: [LockedDirectory] = []
    defer { withExtendedLifetime(locked) {} }
    do throws(LMDBError) {
      for _ in 0..<EnvironmentStore.attempts where replaced == nil {
        try write { (transaction: inout WriteTransaction) throws(LMDBError) in
          try transaction.announceReplacement()
        }
        isAnnounced = true
        try checkpoint(.announced)
        try write { (transaction: inout WriteTransaction) throws(LMDBError) in
          // A process that cannot see this one may have taken it for killed and withdrawn the
          // announcement.
          guard transaction.announcesReplacement else { return }
          let made = try temporaries.make(.replacing)
          locked = [made, LockedDirectory(path)].compactMap(\.self)
          let directory = made.path
          try fill(directory, checkpoint, build)
          do throws(LMDBError) {
            replaced = try exchange(directory, temporaries, exchanges: exchanges, checkpoint)
          } catch {
            FileSystem.removeDirectory(directory)
            throw error
          }
        }
      }
    } catch {
      if isAnnounced { withdraw() }
      throw error
    }
    guard let replaced else { throw store.replacedAgain }
    try checkpoint(.exchanged)
    try synchronizeReplacement()
    FileSystem.removeDirectory(replaced)
    try checkpoint(.removed)
  }

  /// Creates the new data durably in a directory; removes the directory on failure.
  private func fill(
    _ directory: String, _ checkpoint: (ReplacementStep) throws(LMDBError) -> Void,
    _ build: (String) throws(LMDBError) -> Void
  ) throws(LMDBError) {
    do throws(LMDBError) {
      try checkpoint(.begun)
      try build(directory)
      try checkpoint(.built)
      // The lock file is created here, so that it gets the permissions of the old one too.
      for name in ["/" + DataFile.name, "/" + DataFile.lockName, ""] {
        try FileSystem.copyMode(of: path + name, to: directory + name)
      }
      // The old file occupies disk space as long as it has readers, so space may be short later.
      try OpenedHandle.allocateLock(directory, store.configuration)
      FileSystem.linkOthers(
        than: [DataFile.name, DataFile.lockName], in: path, to: directory)
      try FileSystem.synchronize(directory + "/" + DataFile.name)
      try FileSystem.synchronize(directory)
      try checkpoint(.synchronized)
    } catch {
      FileSystem.removeDirectory(directory)
      throw error
    }
  }

  /// If withdrawing fails here, the next write of another process withdraws the announcement.
  private func withdraw() {
    try? write { (transaction: inout WriteTransaction) throws(LMDBError) in
      try transaction.withdrawReplacement()
    }
  }

  /// Makes the replacement of the path durable.
  ///
  /// On failure the old data stay, because the path may lead to them after a power cut. The
  /// next replacement removes them.
  private func synchronizeReplacement() throws(LMDBError) {
    guard let parent = FileSystem.parent(of: path) else { return }
    do throws(LMDBError) {
      try FileSystem.synchronize(parent)
    } catch {
      throw LMDBError(
        .io,
        "the data were replaced, but the system did not make that durable; a power cut can undo it:"
          + " \(error.message)",
        path: path)
    }
  }

  /// Rewrites the data without free pages, which gives the smallest possible file.
  package func compact(
    exchanges: Bool = true,
    checkpoint: (ReplacementStep) throws(LMDBError) -> Void = { _ throws(LMDBError) in }
  ) throws(LMDBError) {
    try replace(exchanges: exchanges, checkpoint: checkpoint) { directory throws(LMDBError) in
      try copy(to: directory, waits: false)
    }
  }

  /// Moves the new directory to the path of the old one; returns the new path of the old one.
  private func exchange(
    _ directory: String, _ temporaries: TemporaryDirectories, exchanges: Bool,
    _ checkpoint: (ReplacementStep) throws(LMDBError) -> Void
  ) throws(LMDBError) -> String {
    let code = exchanges ? feedcore_exchange(directory, path) : ENOSYS
    if code == 0 { return directory }
    guard [ENOSYS, EINVAL, ENOTSUP].contains(code) else {
      throw .system(code, doing: "move the new data to its path", path: path)
    }
    let replaced = temporaries.path(.replaced)
    try FileSystem.rename(path, to: replaced)
    do throws(LMDBError) {
      try checkpoint(.movedAway)
      try FileSystem.rename(directory, to: path)
    } catch {
      try? FileSystem.rename(replaced, to: path)
      throw error
    }
    return replaced
  }
}

extension Environment {
  /// Replaces the data with a copy of another environment.
  ///
  /// A write that spans several transactions has to start again. It would otherwise continue in
  /// data that lack its beginning.
  ///
  /// - Parameter prepare: changes the copy before it is visible
  package func restore(
    from backup: String,
    checkpoint: (ReplacementStep) throws(LMDBError) -> Void = { _ throws(LMDBError) in },
    prepare: @Sendable (inout WriteTransaction, Tables) throws(LMDBError) -> Void = { _, _ in }
  ) throws(LMDBError) {
    let source = try Environment.open(backup, store.configuration)
    try replace(checkpoint: checkpoint) { directory throws(LMDBError) in
      try source.copy(to: directory, waits: source !== self)
      try Self.prepare(directory, store.configuration, prepare)
    }
  }

  /// Creates an environment that does not exist yet from a copy of another one.
  ///
  /// - Parameters:
  ///   - prepare: changes the copy before it is visible
  ///   - synchronized: called when only the rename is left to do
  package static func restore(
    from backup: String, to directory: String, _ configuration: Configuration,
    prepare: @Sendable (inout WriteTransaction, Tables) throws(LMDBError) -> Void = { _, _ in },
    synchronized: () throws(LMDBError) -> Void = { () throws(LMDBError) in }
  ) throws(LMDBError) {
    let source = try Environment.open(backup, configuration)
    try source.backUp(
      to: FileSystem.resolved(directory),
      prepare: { directory throws(LMDBError) in
        try Self.prepare(directory, configuration, prepare)
      },
      synchronized: synchronized)
  }

  private static func prepare(
    _ directory: String, _ configuration: Configuration,
    _ prepare: (inout WriteTransaction, Tables) throws(LMDBError) -> Void
  ) throws(LMDBError) {
    let opened = try OpenedHandle.open(directory, configuration)
    let copy = try EnvironmentStore(opened, path: directory, configuration)
    copy.file?.isNameDurable = true
    defer { copy.close() }
    try copy.transact { (transaction: inout WriteTransaction) throws(LMDBError) in
      let table = Table(identifier: ReplacementRecord.table, environment: copy.identifier)
      let name = ReplacementRecord.lineage
      let number = InlineArray<8, UInt8> { _ in UInt8.random(in: 1...255) }
      try transaction.put(table, name.span.bytes, number.span.bytes)
      try prepare(&transaction, Tables(copy.tables, path: directory))
    }
    let code = mdb_env_sync(opened.handle, 1)
    if code != 0 { throw copy.error(code, "synchronise") }
  }
}
