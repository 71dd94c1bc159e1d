import GRDB

/// A SQLite database in a new file, opened by GRDB with `synchronous = FULL`, so that a committed
/// transaction is on the disk. It maps its file, as the other stores do, and caches up to 64 MB of
/// it instead of SQLite's default of 2 MB.
final class SQLiteFile {
  let queue: DatabaseQueue
  private let directory: TemporaryDirectory

  /// - Parameters:
  ///   - schema: the SQL that creates the tables.
  ///   - isWriteAhead: a write-ahead log has one `fsync` a transaction and writes everything twice.
  ///     It suits many small transactions, and the rollback journal suits a large one.
  init(schema: String, isWriteAhead: Bool = false) throws {
    directory = try TemporaryDirectory()
    var configuration = Configuration()
    configuration.journalMode = isWriteAhead ? .wal : .default
    queue = try DatabaseQueue(path: directory.file("database"), configuration: configuration)
    // Set after opening, since GRDB sets a lower level for a write-ahead log.
    try queue.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA synchronous = FULL")
      let level = try Int.fetchOne(database, sql: "PRAGMA synchronous")
      guard level == 2 else { throw ContestError("SQLite does not set synchronous to FULL") }
      try database.execute(sql: "PRAGMA mmap_size = 1073741824; PRAGMA cache_size = -65536")
      let mapped = try Int.fetchOne(database, sql: "PRAGMA mmap_size")
      guard mapped == 1 << 30 else { throw ContestError("SQLite does not map its file") }
      try database.execute(sql: schema)
    }
  }

  deinit { try? queue.close() }
}
