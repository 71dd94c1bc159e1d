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
    return try restore(directory, fromVerified: backup)
  }

  /// Restores a backup that has just been verified.
  ///
  /// - Parameters:
  ///   - directory: that of the store
  ///   - backup: the directory of the backup
  ///   - writerTimeout: how long to wait for a process that is writing the store
  public static func restore(
    _ directory: String, fromVerified backup: String, writerTimeout: Duration = .seconds(30)
  ) throws(StoreError) -> [String] {
    let names = Environment.names(in: backup)
    guard !names.isEmpty else {
      throw StoreError(.notFound, "the directory holds no backup of a store", path: backup)
    }
    var restored: [String] = []
    do throws(LMDBError) {
      try restore(names[...], directory, from: backup, writerTimeout, &restored)
    } catch {
      guard !restored.isEmpty, restored != names else { throw StoreError(error) }
      throw StoreError(
        StoreError(error).code,
        "\(error.message); \(restored.joined(separator: ", ")) of the store has been restored"
          + " already, so restore it again",
        path: error.path)
    }
    return names
  }

  /// Restores environments so that none is replaced before all can be. Each is prepared, and then
  /// waits for the ones after it.
  private static func restore(
    _ names: ArraySlice<String>, _ directory: String, from backup: String,
    _ writerTimeout: Duration, _ restored: inout [String]
  ) throws(LMDBError) {
    guard let name = names.first else { return }
    try restore(name, directory, from: backup + "/" + name, writerTimeout) {
      () throws(LMDBError) in
      try restore(names.dropFirst(), directory, from: backup, writerTimeout, &restored)
    }
    restored.append(name)
  }

  private static func restore(
    _ name: String, _ directory: String, from backup: String, _ writerTimeout: Duration,
    synchronized: () throws(LMDBError) -> Void
  ) throws(LMDBError) {
    let target = directory + "/" + name
    let isFeeds = name == StoreFormat.environmentDirectory
    var configuration = Environment.Configuration(tables: tables(ofEnvironment: name))
    configuration.writerTimeout = writerTimeout
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

extension WholeStore {
  /// See ``FeedDatabase/backUp(to:)``.
  package func backUp(to target: String) throws(StoreError) -> [String] {
    let names = Environment.names(in: directory)
    guard Environment.names(in: target).isEmpty else {
      throw StoreError(
        .misuse, "the directory holds a store already; name another one", path: target)
    }
    do throws(LMDBError) {
      let environments = try names.map { name throws(LMDBError) in try environment(name) }
      for environment in environments where try environment.contains(target) {
        throw LMDBError(
          .invalidArgument,
          "a backup in the store's own directory would be replaced with it when the store is"
            + " compacted or moved aside; name another directory", path: target)
      }
      try FileLock.createDirectory(target)
      for (name, environment) in zip(names, environments) {
        try environment.backUp(to: target + "/" + name)
      }
    } catch {
      throw StoreError(error)
    }
    return names
  }
}

/// The changes to a backup before it replaces a store.
enum RestoredFeeds {
  /// The numbers to skip if the last one given since the backup is unknown.
  private static let unknownNumbers: UInt64 = 1 << 20

  /// The last generation number that a store has used.
  static func number(
    _ view: borrowing ReadTransaction, _ meta: Table
  ) throws(LMDBError) -> UInt64 {
    let key = StoreFormat.MetaKey.counter
    return try view.get(meta, key.span.bytes)?.bigEndian(at: 0, as: UInt64.self) ?? 0
  }

  /// Ensures that no number is reused and that no ingest continues in the backup.
  ///
  /// Processes remember a generation by its number. A process that writes a generation in several
  /// transactions must not add to its partial copy in the backup.
  ///
  /// - Parameter number: the last number of the replaced store; nil if the store is gone
  static func prepare(
    _ transaction: inout WriteTransaction, _ tables: Tables, number: UInt64?
  ) throws(LMDBError) {
    let meta = try tables.table(StoreFormat.TableName.meta)
    let own = try transaction.reading { view throws(LMDBError) in try Self.number(view, meta) }
    let last = StoreKey.number(max(own, number ?? own + unknownNumbers))
    let key = StoreFormat.MetaKey.counter
    try transaction.put(meta, key.span.bytes, last.span.bytes)
    let generations = try tables.table(StoreFormat.TableName.generations)
    for var row in try building(transaction, generations) {
      row.state = .dead
      let key = StoreKey.number(row.generation)
      try transaction.put(generations, key.span.bytes, row.encoded().span.bytes)
    }
  }

  private static func building(
    _ transaction: borrowing WriteTransaction, _ generations: Table
  ) throws(LMDBError) -> [GenerationRow] {
    try transaction.reading { view throws(LMDBError) in
      var rows: [GenerationRow] = []
      var cursor = try view.cursor(generations)
      while try cursor.next() {
        guard cursor.key.byteCount == 8 else { continue }
        if let row = try? GenerationRow(cursor.value), row.state == .building { rows.append(row) }
      }
      return rows
    }
  }
}
