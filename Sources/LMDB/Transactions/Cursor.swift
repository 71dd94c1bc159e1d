import CLMDB

/// A position in a table of one snapshot.
///
/// `key` and `value` are empty until a move returns true. They point into the map and stay valid
/// for the whole transaction, even after the cursor moves.
package struct Cursor: ~Copyable, ~Escapable {
  private let handle: OpaquePointer
  private let store: Unmanaged<EnvironmentStore>
  private var entry = Entry()

  @_lifetime(immortal)
  init(_ handle: OpaquePointer, store: Unmanaged<EnvironmentStore>) {
    self.handle = handle
    self.store = store
  }

  deinit { mdb_cursor_close(handle) }

  /// The key at the cursor's position.
  package var key: RawSpan {
    @_lifetime(copy self)
    get { _overrideLifetime(entry.key.span, copying: self) }
  }

  /// The value at the cursor's position.
  package var value: RawSpan {
    @_lifetime(copy self)
    get { _overrideLifetime(entry.value.span, copying: self) }
  }

  /// Moves to the first entry whose key is `key` or greater; returns false if there is none.
  @_lifetime(self: copy self)
  package mutating func seek(atOrAfter key: RawSpan) throws(LMDBError) -> Bool {
    try arrive(Entry.seek(handle, key))
  }

  /// Moves to the last entry whose key is `key` or less; returns false if there is none.
  @_lifetime(self: copy self)
  package mutating func seek(atOrBefore key: RawSpan) throws(LMDBError) -> Bool {
    guard try seek(atOrAfter: key) else { return try last() }
    if key.isEqual(to: self.key) { return true }
    return try previous()
  }

  /// Moves to the first entry of the table.
  @_lifetime(self: copy self)
  package mutating func first() throws(LMDBError) -> Bool { try move(MDB_FIRST) }

  /// Moves to the last entry of the table.
  @_lifetime(self: copy self)
  package mutating func last() throws(LMDBError) -> Bool { try move(MDB_LAST) }

  /// Moves to the next entry, or to the first if the cursor has no position.
  @_lifetime(self: copy self)
  package mutating func next() throws(LMDBError) -> Bool { try move(MDB_NEXT) }

  /// Moves to the previous entry.
  @_lifetime(self: copy self)
  package mutating func previous() throws(LMDBError) -> Bool { try move(MDB_PREV) }

  @_lifetime(self: copy self)
  private mutating func move(_ operation: MDB_cursor_op) throws(LMDBError) -> Bool {
    try arrive(Entry.move(handle, operation))
  }

  @_lifetime(self: copy self)
  private mutating func arrive(
    _ arrival: (code: CInt, entry: Entry)
  ) throws(LMDBError) -> Bool {
    entry = arrival.code == 0 ? arrival.entry : Entry()
    if arrival.code == 0 { return true }
    if arrival.code == MDB_NOTFOUND { return false }
    throw store._withUnsafeGuaranteedRef { $0.error(arrival.code, "read") }
  }
}
