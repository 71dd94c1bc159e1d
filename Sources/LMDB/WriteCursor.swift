import CLMDB

/// A place in a table of a write transaction.
///
/// `key` and `value` are valid until the cursor moves or deletes.
package struct WriteCursor: ~Copyable, ~Escapable {
  private let handle: OpaquePointer
  private let store: Unmanaged<EnvironmentStore>
  private var currentKey = MDB_val()
  private var currentValue = MDB_val()

  @_lifetime(immortal)
  init(_ handle: OpaquePointer, store: Unmanaged<EnvironmentStore>) {
    self.handle = handle
    self.store = store
  }

  deinit { mdb_cursor_close(handle) }

  /// The key where the cursor stands.
  package var key: RawSpan {
    @_lifetime(borrow self)
    get { _overrideLifetime(currentKey.span, borrowing: self) }
  }

  /// The value where the cursor stands.
  package var value: RawSpan {
    @_lifetime(borrow self)
    get { _overrideLifetime(currentValue.span, borrowing: self) }
  }

  /// Moves to the first entry whose key is `key` or greater; false where there is none.
  @_lifetime(self: copy self)
  package mutating func seek(atOrAfter key: RawSpan) throws(LMDBError) -> Bool {
    let arrival = Entry.seek(handle, key)
    (currentKey, currentValue) = (arrival.key, arrival.value)
    return try arrived(arrival.code)
  }

  /// Moves to the first entry of the table.
  @_lifetime(self: copy self)
  package mutating func first() throws(LMDBError) -> Bool {
    try move(MDB_FIRST)
  }

  /// Moves to the last entry of the table.
  @_lifetime(self: copy self)
  package mutating func last() throws(LMDBError) -> Bool {
    try move(MDB_LAST)
  }

  /// Moves to the next entry; after `deleteCurrent` that is the one behind the deleted one.
  @_lifetime(self: copy self)
  package mutating func next() throws(LMDBError) -> Bool {
    try move(MDB_NEXT)
  }

  /// Deletes the entry where the cursor stands.
  @_lifetime(self: copy self)
  package mutating func deleteCurrent() throws(LMDBError) {
    currentKey = MDB_val()
    currentValue = MDB_val()
    let code = mdb_cursor_del(handle, 0)
    if code != 0 { throw store._withUnsafeGuaranteedRef { $0.error(code, "delete") } }
  }

  @_lifetime(self: copy self)
  private mutating func move(_ operation: MDB_cursor_op) throws(LMDBError) -> Bool {
    let arrival = Entry.move(handle, operation)
    (currentKey, currentValue) = (arrival.key, arrival.value)
    return try arrived(arrival.code)
  }

  @_lifetime(self: copy self)
  private mutating func arrived(_ code: CInt) throws(LMDBError) -> Bool {
    if code == 0 { return true }
    currentKey = MDB_val()
    currentValue = MDB_val()
    if code == MDB_NOTFOUND { return false }
    throw store._withUnsafeGuaranteedRef { $0.error(code, "read") }
  }
}
