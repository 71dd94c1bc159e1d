import CLMDB

/// Four records in LMDB's table of tables, where no user of an environment writes.
///
/// Their names end in a zero byte, so that LMDB's own tools pass them over.
enum ReplacementRecord {
  /// LMDB's table of tables, which `TableOpening` opens with the others.
  static let table: MDB_dbi = 1
  /// There from the moment another data file has taken this one's place.
  static let moved = Array("moved\0".utf8)
  /// A number that a restore draws anew, big-endian; none is zero.
  static let lineage = Array("lineage\0".utf8)
  /// Written for the sake of a commit.
  static let tick = Array("tick\0".utf8)

  /// The number of the commit that wrote it, big-endian: LMDB keeps that in a meta page alone, where
  /// damage could make the state before the last commit look like the present one.
  static let commit = Array("commit\0".utf8)

  /// Writes the number of a write transaction's commit; to be called last.
  static func stamp(_ transaction: OpaquePointer) -> CInt {
    let number = UInt64(UInt(bitPattern: mdb_txn_id(transaction))).bigEndian
    return withUnsafeBytes(of: number) { put(commit, $0, transaction) }
  }

  /// Sets a record for the sake of a commit.
  static func touch(_ transaction: OpaquePointer) -> CInt {
    tick.withUnsafeBytes { put(tick, $0, transaction) }
  }

  private static func put(
    _ name: [UInt8], _ bytes: UnsafeRawBufferPointer, _ transaction: OpaquePointer
  ) -> CInt {
    name.withUnsafeBytes { nameBytes in
      var key = MDB_val(nameBytes)
      var value = MDB_val(bytes)
      return mdb_put(transaction, table, &key, &value, 0)
    }
  }

  /// Whether a snapshot says that its file was replaced.
  static func isMoved(_ transaction: OpaquePointer) -> Bool {
    value(moved, transaction) != nil
  }

  static func lineage(in handle: OpaquePointer, path: String) throws(LMDBError) -> UInt64 {
    var transaction: OpaquePointer?
    let code = mdb_txn_begin(handle, nil, UInt32(MDB_RDONLY), &transaction)
    guard code == 0, let transaction else {
      throw LMDBError(resultCode: code, doing: "open the store", path: path)
    }
    defer { mdb_txn_abort(transaction) }
    return value(lineage, transaction)?.span.bigEndian(at: 0, as: UInt64.self) ?? 0
  }

  private static func value(_ name: [UInt8], _ transaction: OpaquePointer) -> MDB_val? {
    name.withUnsafeBytes { bytes in
      var key = MDB_val(bytes)
      var value = MDB_val()
      return mdb_get(transaction, table, &key, &value) == 0 ? value : nil
    }
  }
}
