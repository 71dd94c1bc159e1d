import CLMDB

/// An entry of a table in the map, and the calls that read and write transactions share.
struct Entry {
  /// Empty without an entry.
  var key = MDB_val()
  var value = MDB_val()

  static func check(_ table: Table, _ store: Unmanaged<EnvironmentStore>) throws(LMDBError) {
    // A table identifier used in another environment can crash LMDB.
    guard table.environment == store._withUnsafeGuaranteedRef({ $0.identifier }) else {
      throw store._withUnsafeGuaranteedRef {
        LMDBError(.invalidArgument, "the table belongs to another environment", path: $0.path)
      }
    }
  }

  static func value(
    _ handle: OpaquePointer, _ store: Unmanaged<EnvironmentStore>, _ table: Table, _ key: RawSpan
  ) throws(LMDBError) -> MDB_val? {
    try check(table, store)
    var value = MDB_val()
    let code = key.withUnsafeBytes { bytes in
      var key = MDB_val(bytes)
      return mdb_get(handle, table.identifier, &key, &value)
    }
    if code == MDB_NOTFOUND { return nil }
    guard code == 0 else { throw store._withUnsafeGuaranteedRef { $0.error(code, "read") } }
    return value
  }

  static func openCursor(
    _ handle: OpaquePointer, _ store: Unmanaged<EnvironmentStore>, _ table: Table
  ) throws(LMDBError) -> OpaquePointer {
    try check(table, store)
    var cursor: OpaquePointer?
    let code = mdb_cursor_open(handle, table.identifier, &cursor)
    guard code == 0, let cursor else {
      throw store._withUnsafeGuaranteedRef { $0.error(code, "open a cursor") }
    }
    return cursor
  }

  /// Performs one of LMDB's cursor operations that need no key; returns its code.
  static func move(
    _ cursor: OpaquePointer, _ operation: MDB_cursor_op
  ) -> (code: CInt, entry: Entry) {
    var entry = Entry()
    let code = mdb_cursor_get(cursor, &entry.key, &entry.value, operation)
    return (code, entry)
  }

  /// Moves a cursor to the first key that is `key` or greater.
  static func seek(_ cursor: OpaquePointer, _ key: RawSpan) -> (code: CInt, entry: Entry) {
    key.withUnsafeBytes { bytes in
      var entry = Entry(key: MDB_val(bytes))
      let code = mdb_cursor_get(cursor, &entry.key, &entry.value, MDB_SET_RANGE)
      return (code, entry)
    }
  }
}

extension MDB_val {
  /// LMDB does not write through the pointer of a key or of a value to put.
  init(_ bytes: UnsafeRawBufferPointer) {
    self.init(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
  }

  /// The bytes in the map. The caller limits their lifetime to its transaction.
  var span: RawSpan {
    @_lifetime(immortal)
    get {
      // An LMDB entry lies completely inside the map, which outlives the transaction.
      let bytes = UnsafeRawBufferPointer(start: mv_data, count: mv_data == nil ? 0 : mv_size)
      return _overrideLifetime(bytes.bytes, copying: ())
    }
  }
}
