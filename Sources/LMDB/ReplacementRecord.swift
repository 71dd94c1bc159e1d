import CLMDB

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Five records in LMDB's table of tables, where no user of an environment writes.
///
/// Their names end in a zero byte, so that LMDB's own tools pass them over.
enum ReplacementRecord {
  /// LMDB's table of tables, which `TableOpening` opens with the others.
  static let table: MDB_dbi = 1
  /// There before another data file takes this one's place, so that nobody who reads this one can
  /// miss that it has: which file, and by which process. A copy of the file is another one, of
  /// which it says nothing.
  static let moved = Array("moved\0".utf8)
  /// Which file has a name that a power cut does not take back: a commit to it may be acknowledged.
  static let placed = Array("placed\0".utf8)
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

  // MARK: The file's place

  /// Says in a write transaction that this process is about to put another file in place.
  static func announce(_ file: FileSystem.Identity, _ transaction: OpaquePointer) -> CInt {
    bytes(of: file, process: getpid()).withUnsafeBytes { put(moved, $0, transaction) }
  }

  /// Takes back what `announce` has said; changes nothing where nothing was.
  static func withdraw(_ transaction: OpaquePointer) -> CInt {
    let code = moved.withUnsafeBytes { bytes in
      var key = MDB_val(bytes)
      return mdb_del(transaction, table, &key, nil)
    }
    return code == MDB_NOTFOUND ? 0 : code
  }

  /// Whether a snapshot says that its file is being, or was, replaced: by whom.
  static func announcer(
    of file: FileSystem.Identity, _ transaction: OpaquePointer
  ) -> pid_t? {
    guard let value = value(moved, transaction)?.span, names(file, value) else { return nil }
    return value.bigEndian(at: 16, as: UInt64.self).flatMap { pid_t(exactly: $0) }
  }

  /// Says in a write transaction that a file's name is safe.
  static func place(_ file: FileSystem.Identity, _ transaction: OpaquePointer) -> CInt {
    bytes(of: file, process: 0).withUnsafeBytes { put(placed, $0, transaction) }
  }

  static func isPlaced(_ file: FileSystem.Identity, _ transaction: OpaquePointer) -> Bool {
    value(placed, transaction).map { names(file, $0.span) } ?? false
  }

  private static func names(_ file: FileSystem.Identity, _ value: RawSpan) -> Bool {
    value.bigEndian(at: 0, as: UInt64.self) == file.device
      && value.bigEndian(at: 8, as: UInt64.self) == file.inode
  }

  private static func bytes(of file: FileSystem.Identity, process: pid_t) -> [UInt8] {
    [file.device, file.inode, UInt64(process)].flatMap { number in
      withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }
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
