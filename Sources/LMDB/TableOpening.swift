import CLMDB

/// Opens the named tables of an environment, once, in a transaction that is committed.
///
/// A table opened in an aborted transaction is closed again, and one opened
/// twice shares its handle; so all are opened here and never closed.
enum TableOpening {
  static func open(
    _ names: [String], in handle: OpaquePointer, path: String
  ) throws(LMDBError) -> [String: UInt32] {
    // Without the writer's lock first: another process may hold it for long.
    if let existing = try open(names, in: handle, path: path, creating: false) { return existing }
    guard let created = try open(names, in: handle, path: path, creating: true) else {
      throw LMDBError(resultCode: MDB_NOTFOUND, doing: "create the tables", path: path)
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
    for name in names {
      var identifier: MDB_dbi = 0
      code = mdb_dbi_open(transaction, name, creating ? UInt32(MDB_CREATE) : 0, &identifier)
      guard code == 0 else {
        mdb_txn_abort(transaction)
        if code == MDB_NOTFOUND, !creating { return nil }
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
}
