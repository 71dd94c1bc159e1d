import LMDB

extension FeedDatabase {
  /// Copies every environment of the store into a directory, which becomes a store.
  ///
  /// No reader or writer waits. Each copy is one snapshot, and commits made during the copy use new
  /// pages. A completed copy survives a power cut. The copy is not verified; see ``check(_:at:)``.
  ///
  /// - Returns: the names of the environments
  /// - Throws: `misuse` if the directory holds a store or lies in that of an environment,
  ///   `diskFull`
  public func backUp(to target: String) throws(StoreError) -> [String] {
    try WholeStore(self).backUp(to: target)
  }

  /// Replaces the environments of a store with those of a backup, or creates a store from them.
  ///
  /// Other processes may be attached: they continue with the restored data, and an ingest in
  /// progress fails. A damaged store must be moved aside first, see ``quarantine(_:at:opening:)``.
  ///
  /// - Returns: the names of the environments
  /// - Throws: `damaged` if the backup or the store is, `notFound` if there is no backup
  public static func restore(
    _ directory: String, from backup: String
  ) throws(StoreError) -> [String] {
    for name in Environment.names(in: backup) {
      let report = try check(name, at: backup)
      if let finding = report.findings.first {
        throw StoreError(
          .damaged, "the backup of \(name) is damaged and was not restored: \(finding)",
          path: backup)
      }
    }
    return try restore(directory, fromProved: backup)
  }

  /// Restores a backup that has just been verified.
  public static func restore(
    _ directory: String, fromProved backup: String
  ) throws(StoreError) -> [String] {
    let names = Environment.names(in: backup)
    guard !names.isEmpty else {
      throw StoreError(.notFound, "the directory holds no backup of a store", path: backup)
    }
    var restored: [String] = []
    do throws(LMDBError) {
      try restore(names[...], directory, from: backup, &restored)
    } catch {
      guard !restored.isEmpty, restored != names else { throw StoreError(error) }
      throw StoreError(
        StoreError(error).code,
        "\(error.message); of the store, \(restored.joined(separator: ", ")) was restored already,"
          + " so restore it again",
        path: error.path)
    }
    return names
  }

  /// Restores environments so that none is replaced before all can be. Each is prepared, and then
  /// waits for the ones after it.
  private static func restore(
    _ names: ArraySlice<String>, _ directory: String, from backup: String,
    _ restored: inout [String]
  ) throws(LMDBError) {
    guard let name = names.first else { return }
    try restore(name, directory, from: backup + "/" + name) { () throws(LMDBError) in
      try restore(names.dropFirst(), directory, from: backup, &restored)
    }
    restored.append(name)
  }

  private static func restore(
    _ name: String, _ directory: String, from backup: String,
    synchronized: () throws(LMDBError) -> Void
  ) throws(LMDBError) {
    let target = directory + "/" + name
    let isFeeds = name == StoreFormat.environmentDirectory
    let configuration = Environment.Configuration(tables: tables(ofEnvironment: name))
    guard try Environment.exists(target) else {
      try FileLock.createDirectory(directory)
      try Environment.restore(
        from: backup, to: target, configuration,
        prepare: { transaction, tables throws(LMDBError) in
          guard isFeeds else { return }
          try RestoredFeeds.prepare(&transaction, tables, number: nil)
        },
        synchronized: synchronized)
      return
    }
    let environment = try Environment.open(target, configuration)
    try environment.restore(
      from: backup,
      checkpoint: { step throws(LMDBError) in
        if step == .synchronized { try synchronized() }
      },
      prepare: { transaction, tables throws(LMDBError) in
        guard isFeeds else { return }
        let meta = try environment.table(StoreFormat.TableName.meta)
        let number = try environment.read { view throws(LMDBError) in
          try RestoredFeeds.number(view, meta)
        }
        try RestoredFeeds.prepare(&transaction, tables, number: number)
      })
  }
}
