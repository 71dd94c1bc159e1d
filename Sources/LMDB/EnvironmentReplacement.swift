import CLMDB

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Puts another data file in the place of an environment's own, while processes are attached.
///
/// It is announced in the old file first: from that commit on readers look at the path each time, so
/// that none of them can miss what comes. All else happens under the next write transaction of the
/// old file, so nothing is committed to that any more: who waits for it finds another file at the
/// path and goes on with that one. Whatever is cut off, the path leads to the old file or to the
/// new one, each of them whole.
extension Environment {
  /// The moments between which a replacement can be cut off.
  package enum ReplacementStep: CaseIterable, Sendable {
    /// The old file says that it is going to be replaced.
    case announced
    /// The new directory is there and empty.
    case begun
    /// It holds the data, which a power cut may take back.
    case built
    /// It would survive a power cut.
    case synchronized
    /// Only where two names cannot be exchanged at once: the old directory has been moved away.
    case movedAway
    /// The path leads to the new data, which a power cut may take back.
    case exchanged
    /// The old directory is gone.
    case removed
  }

  /// Replaces the data by what `build` makes.
  ///
  /// Waits for the write under way and holds the others up until it is done; readers go on.
  ///
  /// - Parameters:
  ///   - exchanges: whether two names may be exchanged at once, where the system can
  ///   - checkpoint: called at each step
  ///   - build: makes `data.mdb` in the directory that it is given, without writing here
  /// - Throws: also where the data were replaced, but not so that it lasts: the message says so
  package func replace(
    exchanges: Bool = true,
    checkpoint: (ReplacementStep) throws(LMDBError) -> Void = { _ throws(LMDBError) in },
    build: (String) throws(LMDBError) -> Void
  ) throws(LMDBError) {
    let siblings = Siblings(of: path)
    siblings.removeAbandoned()
    var replaced: String?
    // The new directory, and the old one once it is to be moved.
    var held: [HeldDirectory] = []
    defer { withExtendedLifetime(held) {} }
    do throws(LMDBError) {
      for _ in 0..<EnvironmentStore.attempts where replaced == nil {
        try write { (transaction: inout WriteTransaction) throws(LMDBError) in
          try transaction.announceReplacement()
        }
        try checkpoint(.announced)
        try write { (transaction: inout WriteTransaction) throws(LMDBError) in
          // Who cannot see this process may have taken it for one that was killed.
          guard transaction.announcesReplacement else { return }
          let made = try siblings.make(.replacing)
          held = [made, HeldDirectory(path)].compactMap(\.self)
          let directory = made.path
          try fill(directory, checkpoint, build)
          do throws(LMDBError) {
            replaced = try exchange(directory, siblings, exchanges: exchanges, checkpoint)
          } catch {
            FileSystem.removeDirectory(directory)
            throw error
          }
        }
      }
    } catch {
      withdraw()
      throw error
    }
    guard let replaced else { throw store.replacedAgain }
    try checkpoint(.exchanged)
    try synchronizeReplacement()
    FileSystem.removeDirectory(replaced)
    try checkpoint(.removed)
  }

  /// Makes the new data in a directory, so that they would survive a power cut; removes it where
  /// that fails.
  private func fill(
    _ directory: String, _ checkpoint: (ReplacementStep) throws(LMDBError) -> Void,
    _ build: (String) throws(LMDBError) -> Void
  ) throws(LMDBError) {
    do throws(LMDBError) {
      try checkpoint(.begun)
      try build(directory)
      try checkpoint(.built)
      // The lock file is made here, so that it has the permissions of the old one too.
      for name in ["/" + DataFile.name, "/" + DataFile.lockName, ""] {
        try FileSystem.copyMode(of: path + name, to: directory + name)
      }
      // What is replaced keeps its room for as long as anybody reads it, so there may be none later.
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

  /// What cannot be withdrawn now, the next write of another process withdraws.
  private func withdraw() {
    try? write { (transaction: inout WriteTransaction) throws(LMDBError) in
      try transaction.withdrawReplacement()
    }
  }

  /// Makes it last that the path leads to the new data.
  ///
  /// The old ones are kept where that fails: after a power cut the path may lead to them. The next
  /// replacement removes them.
  private func synchronizeReplacement() throws(LMDBError) {
    guard let parent = FileSystem.parent(of: path) else { return }
    do throws(LMDBError) {
      try FileSystem.synchronize(parent)
    } catch {
      throw LMDBError(
        .io,
        "the data were replaced, but the system failed to make that last, so that a power cut can"
          + " undo it: \(error.message)",
        path: path)
    }
  }

  /// Rewrites the data without free pages; the file becomes as small as it can be.
  package func compact(
    exchanges: Bool = true,
    checkpoint: (ReplacementStep) throws(LMDBError) -> Void = { _ throws(LMDBError) in }
  ) throws(LMDBError) {
    try replace(exchanges: exchanges, checkpoint: checkpoint) { directory throws(LMDBError) in
      try copy(to: directory, waits: false)
    }
  }

  /// Puts the new directory where the old one is; returns where the old one is then.
  private func exchange(
    _ directory: String, _ siblings: Siblings, exchanges: Bool,
    _ checkpoint: (ReplacementStep) throws(LMDBError) -> Void
  ) throws(LMDBError) -> String {
    let code = exchanges ? feedcore_exchange(directory, path) : ENOSYS
    if code == 0 { return directory }
    guard [ENOSYS, EINVAL, ENOTSUP].contains(code) else {
      throw .system(code, doing: "put the new data in place", path: path)
    }
    let replaced = siblings.path(.replaced)
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
  /// Replaces the data by a copy of another environment's.
  ///
  /// What is being written in several transactions begins again: it would otherwise go on in
  /// data that lack its beginning.
  ///
  /// - Parameter prepare: changes the copy before anyone sees it
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

  /// Makes an environment that does not exist yet from another one's copy.
  ///
  /// - Parameters:
  ///   - prepare: changes the copy before anyone sees it
  ///   - synchronized: called when all is done but for its name
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
    copy.file?.isPlaced = true
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
