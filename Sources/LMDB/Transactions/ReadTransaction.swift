import CLMDB

/// One snapshot of an environment, borrowed by the body of `Environment.read`.
///
/// The results of `get` and of cursors lie in the map. The compiler keeps them from outliving the
/// transaction.
package struct ReadTransaction: ~Copyable {
  let handle: OpaquePointer
  /// Not retained: the environment outlives every body it calls.
  let store: Unmanaged<EnvironmentStore>
  /// Whether it shows the changes of an unfinished write.
  var isOfWriter = false

  /// The state of the environment that is seen; nil if it is not committed.
  ///
  /// Two snapshots have the same value only if nothing was committed between them.
  package var snapshot: Snapshot? {
    if isOfWriter { return nil }
    return Snapshot(mapping: mappingNumber, transaction: mdb_txn_id(handle))
  }

  /// Distinguishes the mapping from all others of this process: those of other files, and those of
  /// this file before it grew. Starts at 1.
  package var mappingNumber: UInt {
    UInt(bitPattern: mdb_env_get_userctx(mdb_txn_env(handle)))
  }

  /// The value of a key, or nil. Does not copy or allocate.
  @_lifetime(borrow self)
  package borrowing func get(_ table: Table, _ key: RawSpan) throws(LMDBError) -> RawSpan? {
    guard let value = try Entry.value(handle, store, table, key) else { return nil }
    return _overrideLifetime(value.span, borrowing: self)
  }

  /// A cursor over a table, without a position.
  @_lifetime(borrow self)
  package borrowing func cursor(_ table: Table) throws(LMDBError) -> Cursor {
    let cursor = Cursor(try Entry.openCursor(handle, store, table), store: store)
    return _overrideLifetime(cursor, borrowing: self)
  }

  /// The number of entries in a table.
  package borrowing func count(_ table: Table) throws(LMDBError) -> Int {
    try statistics(table).ms_entries
  }

  /// The bytes of all pages of a table. LMDB stores the counts, so this needs no walk.
  package borrowing func byteCount(_ table: Table) throws(LMDBError) -> Int {
    let statistics = try statistics(table)
    let pages =
      statistics.ms_branch_pages + statistics.ms_leaf_pages + statistics.ms_overflow_pages
    return pages * Int(statistics.ms_psize)
  }

  /// The bytes up to the last page that any commit has used, which is the length of the file.
  package var fileByteCount: Int {
    let environment = mdb_txn_env(handle)
    var information = MDB_envinfo()
    var page = MDB_stat()
    mdb_env_info(environment, &information)
    mdb_env_stat(environment, &page)
    return (information.me_last_pgno + 1) * Int(page.ms_psize)
  }

  private borrowing func statistics(_ table: Table) throws(LMDBError) -> MDB_stat {
    try Entry.check(table, store)
    var statistics = MDB_stat()
    let code = mdb_stat(handle, table.identifier, &statistics)
    guard code == 0 else { throw store._withUnsafeGuaranteedRef { $0.error(code, "count") } }
    return statistics
  }
}

/// A committed state of a data file that this process has open.
package struct Snapshot: Hashable, Sendable {
  /// After a restore, the same transaction number in another file means different contents.
  fileprivate let mapping: UInt
  fileprivate let transaction: Int
}

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
