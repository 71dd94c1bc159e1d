import LMDB

extension FeedDatabase {
  /// Copies every environment of the store into a directory, which is a store then.
  ///
  /// Nobody waits: each copy is one snapshot, and while it is read, what is committed takes new
  /// pages. What is told as done is safe from a power cut. The copy is not proved; see
  /// ``check(_:at:)``.
  ///
  /// - Returns: the names of the environments
  /// - Throws: `misuse` where the directory holds a store or lies in that of an environment,
  ///   `diskFull`
  public func backUp(to target: String) throws(StoreError) -> [String] {
    try WholeStore(self).backUp(to: target)
  }

  /// Puts the environments of a backup in place of a store's own, or makes a store of them.
  ///
  /// Other processes may be attached: they go on with what was restored, and an ingest under way
  /// fails. A store that is damaged has to be moved aside first, see ``quarantine(_:at:opening:)``.
  ///
  /// - Returns: the names of the environments
  /// - Throws: `damaged` where the backup or the store is, `notFound` where there is no backup
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

  /// The same for a backup that has just been proved.
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

  /// Restores environments so that none is put in place before all of them can be: each is made
  /// ready, and waits with that for those behind it.
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
