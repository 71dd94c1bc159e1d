import CLMDB

/// A place in a table of one snapshot.
///
/// `key` and `value` are empty until a move has returned true. They lie in
/// the map and stay valid for the whole transaction, whatever the cursor does.
package struct Cursor: ~Copyable, ~Escapable {
  private var position: CursorPosition

  @_lifetime(immortal)
  init(_ handle: OpaquePointer, store: Unmanaged<EnvironmentStore>) {
    position = CursorPosition(handle, store: store)
  }

  /// The key where the cursor stands.
  package var key: RawSpan {
    @_lifetime(copy self)
    get { _overrideLifetime(position.key.span, copying: self) }
  }

  /// The value where the cursor stands.
  package var value: RawSpan {
    @_lifetime(copy self)
    get { _overrideLifetime(position.value.span, copying: self) }
  }

  /// Moves to the first entry whose key is `key` or greater; false where there is none.
  @_lifetime(self: copy self)
  package mutating func seek(atOrAfter key: RawSpan) throws(LMDBError) -> Bool {
    try position.seek(key)
  }

  /// Moves to the last entry whose key is `key` or less; false where there is none.
  @_lifetime(self: copy self)
  package mutating func seek(atOrBefore key: RawSpan) throws(LMDBError) -> Bool {
    guard try seek(atOrAfter: key) else { return try last() }
    if key.isEqual(to: self.key) { return true }
    return try previous()
  }

  /// Moves to the first entry of the table.
  @_lifetime(self: copy self)
  package mutating func first() throws(LMDBError) -> Bool { try position.move(MDB_FIRST) }

  /// Moves to the last entry of the table.
  @_lifetime(self: copy self)
  package mutating func last() throws(LMDBError) -> Bool { try position.move(MDB_LAST) }

  /// Moves to the next entry; to the first where the cursor stood nowhere.
  @_lifetime(self: copy self)
  package mutating func next() throws(LMDBError) -> Bool { try position.move(MDB_NEXT) }

  /// Moves to the entry before.
  @_lifetime(self: copy self)
  package mutating func previous() throws(LMDBError) -> Bool { try position.move(MDB_PREV) }
}
