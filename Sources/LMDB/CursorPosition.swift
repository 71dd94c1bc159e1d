import CLMDB

/// LMDB's cursor and its current entry; shared by both kinds of cursor.
///
/// Key and value are empty until a move returns true. The owner of the position defines how long
/// their bytes stay valid.
struct CursorPosition: ~Copyable {
  private let handle: OpaquePointer
  private let store: Unmanaged<EnvironmentStore>
  private(set) var key = MDB_val()
  private(set) var value = MDB_val()

  init(_ handle: OpaquePointer, store: Unmanaged<EnvironmentStore>) {
    self.handle = handle
    self.store = store
  }

  deinit { mdb_cursor_close(handle) }

  /// Moves to the first entry whose key is `key` or greater; returns false if there is none.
  mutating func seek(_ key: RawSpan) throws(LMDBError) -> Bool {
    let arrival = Entry.seek(handle, key)
    (self.key, value) = (arrival.key, arrival.value)
    return try arrived(arrival.code)
  }

  /// Performs one of LMDB's cursor operations; returns false if there is no such entry.
  mutating func move(_ operation: MDB_cursor_op) throws(LMDBError) -> Bool {
    let arrival = Entry.move(handle, operation)
    (key, value) = (arrival.key, arrival.value)
    return try arrived(arrival.code)
  }

  /// Deletes the entry at the cursor's position.
  mutating func delete() throws(LMDBError) {
    leave()
    guard store._withUnsafeGuaranteedRef({ $0.tally.change() }) else {
      throw .tooMuch(store._withUnsafeGuaranteedRef { $0.path })
    }
    let code = mdb_cursor_del(handle, 0)
    if code != 0 { throw store._withUnsafeGuaranteedRef { $0.error(code, "delete") } }
  }

  private mutating func leave() {
    key = MDB_val()
    value = MDB_val()
  }

  private mutating func arrived(_ code: CInt) throws(LMDBError) -> Bool {
    if code == 0 { return true }
    leave()
    if code == MDB_NOTFOUND { return false }
    throw store._withUnsafeGuaranteedRef { $0.error(code, "read") }
  }
}
