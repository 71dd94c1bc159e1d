/// A table of one snapshot, read by key.
///
/// The result of `get` lies in the map and stays valid for the whole transaction.
package struct TableReader: ~Escapable {
  private let handle: OpaquePointer
  private let store: Unmanaged<EnvironmentStore>
  private let table: Table

  @_lifetime(borrow transaction)
  package init(_ transaction: borrowing ReadTransaction, _ table: Table) {
    handle = transaction.handle
    store = transaction.store
    self.table = table
  }

  /// The value of a key, or nil. Does not copy or allocate.
  @_lifetime(copy self)
  package func get(_ key: RawSpan) throws(LMDBError) -> RawSpan? {
    guard let value = try Entry.value(handle, store, table, key) else { return nil }
    return _overrideLifetime(value.span, copying: self)
  }
}
