import CLMDB

/// The tables of an environment by name.
package struct Tables: Sendable {
  private let tables: [String: Table]
  private let path: String

  init(_ tables: [String: Table], path: String) {
    self.tables = tables
    self.path = path
  }

  /// The table of a name from the environment's configuration.
  package func table(_ name: String) throws(LMDBError) -> Table {
    if let table = tables[name] { return table }
    throw LMDBError(
      .notFound, "the table \(name) is not one of those this environment was opened with",
      path: path)
  }
}

/// A named table of one environment.
///
/// A plain value that is cheap to pass. It works only with transactions of its own environment.
package struct Table: Hashable, Sendable {
  let identifier: UInt32
  let environment: UInt64
}

/// Opens the named tables of an environment once, in a transaction that is committed.
///
/// LMDB closes a table that was opened in an aborted transaction, and a table opened twice shares
/// its handle. So all tables are opened here and never closed.
///
/// Tables are created only if none exist. If one is missing, that is damage: an empty new one would
/// hide the loss.
enum TableOpening {
  static func open(
    _ names: [String], in handle: OpaquePointer, path: String
  ) throws(LMDBError) -> [String: UInt32] {
    // The first attempt takes no write lock, which another process may hold for long.
    if let existing = try open(names, in: handle, path: path, creating: false) { return existing }
    // Another process may be writing, and LMDB would wait for it without a limit.
    var lock = WriterLock(path, nil)
    try lock?.acquire(WriterLock.Wait())
    defer { lock?.release() }
    guard let created = try open(names, in: handle, path: path, creating: true) else {
      throw LMDBError(
        .damaged,
        "the data file lacks a table; restore it or delete the directory and ingest again",
        path: path, resultCode: MDB_NOTFOUND)
    }
    return created
  }

  private static func open(
    _ names: [String], in handle: OpaquePointer, path: String, creating: Bool
  ) throws(LMDBError) -> [String: UInt32]? {
    var transaction: OpaquePointer?
    var code = mdb_txn_begin(handle, nil, creating ? 0 : UInt32(MDB_RDONLY), &transaction)
    guard code == 0, let transaction else {
      throw LMDBError(resultCode: code, doing: "open the tables", path: path)
    }
    var tables: [String: UInt32] = [:]
    // LMDB's own table of tables, which it does not open by itself.
    var main: MDB_dbi = 0
    code = mdb_dbi_open(transaction, nil, 0, &main)
    guard code == 0 else {
      mdb_txn_abort(transaction)
      throw LMDBError(resultCode: code, doing: "open the tables", path: path)
    }
    let flags = creating && isEmpty(main, transaction) ? UInt32(MDB_CREATE) : 0
    for name in names {
      var identifier: MDB_dbi = 0
      code = mdb_dbi_open(transaction, name, flags, &identifier)
      guard code == 0 else {
        mdb_txn_abort(transaction)
        if code == MDB_NOTFOUND { return nil }
        throw LMDBError(resultCode: code, doing: "open the table \(name)", path: path)
      }
      tables[name] = identifier
    }
    code = creating ? ReplacementRecord.stamp(transaction) : 0
    guard code == 0 else {
      mdb_txn_abort(transaction)
      throw LMDBError(resultCode: code, doing: "create the tables", path: path)
    }
    code = mdb_txn_commit(transaction)
    guard code == 0 else {
      throw LMDBError(resultCode: code, doing: "open the tables", path: path)
    }
    return tables
  }

  private static func isEmpty(_ table: MDB_dbi, _ transaction: OpaquePointer) -> Bool {
    var statistics = MDB_stat()
    return mdb_stat(transaction, table, &statistics) == 0 && statistics.ms_entries == 0
  }
}
