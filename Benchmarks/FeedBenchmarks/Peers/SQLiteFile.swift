import GRDB

/// A SQLite database in a file of its own, by GRDB, with `synchronous = FULL`: a transaction that
/// has been committed is on the disk. It maps its file and caches up to 64 MB of it, in place of the
/// 2 MB that are SQLite's default: the others map all that they read, too.
final class SQLiteFile {
  let queue: DatabaseQueue
  private let directory: TemporaryDirectory

  /// - Parameters:
  ///   - schema: what makes the tables.
  ///   - isWriteAhead: a write-ahead log has one `fsync` a transaction and writes everything twice:
  ///     right for many small transactions, while the rollback journal is right for a large one.
  init(schema: String, isWriteAhead: Bool = false) throws {
    directory = try TemporaryDirectory()
    var configuration = Configuration()
    configuration.journalMode = isWriteAhead ? .wal : .default
    queue = try DatabaseQueue(path: directory.file("database"), configuration: configuration)
    // Only now, since GRDB itself asks for less where there is a write-ahead log.
    try queue.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA synchronous = FULL")
      let level = try Int.fetchOne(database, sql: "PRAGMA synchronous")
      guard level == 2 else { throw ContestError("SQLite does not synchronise as it was told") }
      try database.execute(sql: "PRAGMA mmap_size = 1073741824; PRAGMA cache_size = -65536")
      let mapped = try Int.fetchOne(database, sql: "PRAGMA mmap_size")
      guard mapped == 1 << 30 else { throw ContestError("SQLite does not map its file") }
      try database.execute(sql: schema)
    }
  }

  deinit { try? queue.close() }
}
