import CLMDB

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Five records in LMDB's table of tables, where no user of an environment writes.
///
/// Their names end in a zero byte, so LMDB's own tools skip them.
enum ReplacementRecord {
  /// LMDB's table of tables, which `TableOpening` opens with the others.
  static let table: MDB_dbi = 1
  /// Exists before another data file replaces this one, so that no reader of this one misses the
  /// replacement. Names the file and the replacing process. In a copy of the file it has no
  /// meaning, because the copy has another identity.
  static let moved = Array("moved\0".utf8)
  /// Names the file whose name survives a power cut. A commit to that file may be acknowledged.
  static let durableName = Array("placed\0".utf8)
  /// A random number that a restore changes, big-endian; never zero.
  static let lineage = Array("lineage\0".utf8)
  /// Written only to cause a commit.
  static let tick = Array("tick\0".utf8)

  /// The number of the commit that wrote it, big-endian. LMDB stores that number in a meta page
  /// only, where damage could make the state before the last commit look current.
  static let commit = Array("commit\0".utf8)

  /// Writes the commit number of a write transaction; must be the last call.
  static func stamp(_ transaction: OpaquePointer) -> CInt {
    let number = UInt64(UInt(bitPattern: mdb_txn_id(transaction))).bigEndian
    return withUnsafeBytes(of: number) { put(commit, $0, transaction) }
  }

  /// Sets a record to cause a commit.
  static func touch(_ transaction: OpaquePointer) -> CInt {
    tick.withUnsafeBytes { put(tick, $0, transaction) }
  }

  // MARK: Replacement of the file

  /// Announces in a write transaction that this process is about to replace the file.
  static func announce(_ file: FileSystem.Identity, _ transaction: OpaquePointer) -> CInt {
    bytes(of: file, process: getpid()).withUnsafeBytes { put(moved, $0, transaction) }
  }

  /// Withdraws the announcement; does nothing if there is none.
  static func withdraw(_ transaction: OpaquePointer) -> CInt {
    let code = moved.withUnsafeBytes { bytes in
      var key = MDB_val(bytes)
      return mdb_del(transaction, table, &key, nil)
    }
    return code == MDB_NOTFOUND ? 0 : code
  }

  /// The process that has announced, in a snapshot, the replacement of its file; nil if none has.
  static func announcer(
    of file: FileSystem.Identity, _ transaction: OpaquePointer
  ) -> pid_t? {
    guard let value = value(moved, transaction)?.span, names(file, value) else { return nil }
    return value.bigEndian(at: 16, as: UInt64.self).flatMap { pid_t(exactly: $0) }
  }

  /// Records in a write transaction that a file's name is durable.
  static func addName(of file: FileSystem.Identity, _ transaction: OpaquePointer) -> CInt {
    bytes(of: file, process: 0).withUnsafeBytes { put(durableName, $0, transaction) }
  }

  static func isNameDurable(_ file: FileSystem.Identity, _ transaction: OpaquePointer) -> Bool {
    value(durableName, transaction).map { names(file, $0.span) } ?? false
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
