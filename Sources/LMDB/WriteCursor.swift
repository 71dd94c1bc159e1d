import CLMDB

/// A position in a table of a write transaction.
///
/// `key` and `value` are valid until the cursor moves or deletes.
package struct WriteCursor: ~Copyable, ~Escapable {
  private var position: CursorPosition

  @_lifetime(immortal)
  init(_ handle: OpaquePointer, store: Unmanaged<EnvironmentStore>) {
    position = CursorPosition(handle, store: store)
  }

  /// The key at the cursor's position.
  package var key: RawSpan {
    @_lifetime(borrow self)
    get { _overrideLifetime(position.key.span, borrowing: self) }
  }

  /// The value at the cursor's position.
  package var value: RawSpan {
    @_lifetime(borrow self)
    get { _overrideLifetime(position.value.span, borrowing: self) }
  }

  /// Moves to the first entry whose key is `key` or greater; returns false if there is none.
  @_lifetime(self: copy self)
  package mutating func seek(atOrAfter key: RawSpan) throws(LMDBError) -> Bool {
    try position.seek(key)
  }

  /// Moves to the first entry of the table.
  @_lifetime(self: copy self)
  package mutating func first() throws(LMDBError) -> Bool {
    try position.move(MDB_FIRST)
  }

  /// Moves to the last entry of the table.
  @_lifetime(self: copy self)
  package mutating func last() throws(LMDBError) -> Bool {
    try position.move(MDB_LAST)
  }

  /// Moves to the next entry; after `deleteCurrent` to the one after the deleted entry.
  @_lifetime(self: copy self)
  package mutating func next() throws(LMDBError) -> Bool {
    try position.move(MDB_NEXT)
  }

  /// Deletes the entry at the cursor's position.
  @_lifetime(self: copy self)
  package mutating func deleteCurrent() throws(LMDBError) {
    try position.delete()
  }
}
