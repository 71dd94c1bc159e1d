import CLMDB

/// The changes of one write, borrowed by its body on the writer thread.
///
/// After a failed change LMDB refuses the rest of the transaction with an unspecific error. The
/// first error is stored and thrown instead. The commit throws it too, even if the body ignored it.
package struct WriteTransaction: ~Copyable {
  private let handle: OpaquePointer
  private let store: Unmanaged<EnvironmentStore>
  private let thread = CurrentThread.identifier
  private(set) var failure: LMDBError?

  init(handle: OpaquePointer, store: EnvironmentStore) {
    self.handle = handle
    self.store = .passUnretained(store)
  }

  /// The value of a key as this transaction sees it, or nil. Does not copy.
  @_lifetime(borrow self)
  package borrowing func get(_ table: Table, _ key: RawSpan) throws(LMDBError) -> RawSpan? {
    try verify()
    guard let value = try Entry.value(handle, store, table, key) else { return nil }
    return _overrideLifetime(value.span, borrowing: self)
  }

  /// Passes a read view of this transaction to the body, for example to use cursors.
  package borrowing func reading<R: ~Copyable, Failure: Error>(
    _ body: (borrowing ReadTransaction) throws(Failure) -> R
  ) throws(Failure) -> R {
    // The transaction is borrowed meanwhile, so nothing changes under the view.
    try body(ReadTransaction(handle: handle, store: store, isOfWriter: true))
  }

  /// Sets the value of a key of 1 to 511 bytes.
  package mutating func put(_ table: Table, _ key: RawSpan, _ value: RawSpan) throws(LMDBError) {
    try prepare(table)
    let isAllowed = store._withUnsafeGuaranteedRef { $0.changes.put(value.byteCount) }
    if !isAllowed { throw tooMuch() }
    let code = key.withUnsafeBytes { keyBytes in
      value.withUnsafeBytes { valueBytes in
        var key = MDB_val(keyBytes)
        var value = MDB_val(valueBytes)
        return mdb_put(handle, table.identifier, &key, &value, 0)
      }
    }
    if code != 0 { throw poisoned(code, "write") }
  }

  /// Removes a key; returns false if it does not exist.
  @discardableResult
  package mutating func delete(_ table: Table, _ key: RawSpan) throws(LMDBError) -> Bool {
    try prepare(table)
    if !store._withUnsafeGuaranteedRef({ $0.changes.change() }) { throw tooMuch() }
    let code = key.withUnsafeBytes { bytes in
      var key = MDB_val(bytes)
      return mdb_del(handle, table.identifier, &key, nil)
    }
    if code == MDB_NOTFOUND { return false }
    if code != 0 { throw poisoned(code, "delete") }
    return true
  }

  /// Deletes entries in the order of their keys, until the body returns false for the next one.
  ///
  /// - Parameter first: the key of the first entry; if it does not exist, the next greater one
  package mutating func deleteEntries(
    in table: Table, from first: RawSpan, while body: (_ key: RawSpan, _ value: RawSpan) -> Bool
  ) throws(LMDBError) {
    try prepare(table)
    let cursor = try Entry.openCursor(handle, store, table)
    defer { mdb_cursor_close(cursor) }
    var (code, entry) = Entry.seek(cursor, first)
    while code == 0, body(entry.key.span, entry.value.span) {
      if !store._withUnsafeGuaranteedRef({ $0.changes.change() }) { throw tooMuch() }
      let deletion = mdb_cursor_del(cursor, 0)
      if deletion != 0 { throw poisoned(deletion, "delete") }
      // After a deletion this is the entry that follows the deleted one.
      (code, entry) = Entry.move(cursor, MDB_NEXT)
    }
    if code != 0, code != MDB_NOTFOUND { throw poisoned(code, "read") }
  }

  /// Changes nothing that a user sees, but causes a commit.
  mutating func touch() throws(LMDBError) {
    if let failure { throw failure }
    if !store._withUnsafeGuaranteedRef({ $0.changes.change() }) { throw tooMuch() }
    let code = ReplacementRecord.touch(handle)
    if code != 0 { throw poisoned(code, "write") }
  }

  /// Announces that this process is about to replace the file being written.
  mutating func announceReplacement() throws(LMDBError) {
    try changeRecord { handle, file in ReplacementRecord.announce(file, handle) }
  }

  /// Withdraws the announcement of `announceReplacement`.
  mutating func withdrawReplacement() throws(LMDBError) {
    try changeRecord { handle, _ in ReplacementRecord.withdraw(handle) }
  }

  private mutating func changeRecord(
    _ body: (OpaquePointer, FileSystem.Identity) -> CInt
  ) throws(LMDBError) {
    if let failure { throw failure }
    let (isAllowed, file) = store._withUnsafeGuaranteedRef { store in
      (store.changes.change(), store.file?.identity)
    }
    guard isAllowed, let file else { throw tooMuch() }
    let code = body(handle, file)
    if code != 0 { throw poisoned(code, "write") }
  }

  /// Whether a process has announced the replacement of the file.
  var announcesReplacement: Bool {
    guard let file = store._withUnsafeGuaranteedRef({ $0.file?.identity }) else { return false }
    return ReplacementRecord.announcer(of: file, handle) != nil
  }

  private mutating func prepare(_ table: Table) throws(LMDBError) {
    try verify()
    try Entry.check(table, store)
  }

  /// A body may pass the transaction to the body of another environment's write, which runs on
  /// another thread. LMDB ties the transaction to its own thread.
  private borrowing func verify() throws(LMDBError) {
    if let failure { throw failure }
    guard thread == CurrentThread.identifier else {
      throw LMDBError(
        .wrongThread, "a write transaction can be used on its own thread only",
        path: store._withUnsafeGuaranteedRef { $0.path })
    }
  }

  private mutating func tooMuch() -> LMDBError {
    let error = LMDBError.tooMuch(store._withUnsafeGuaranteedRef { $0.path })
    failure = error
    return error
  }

  private mutating func poisoned(_ code: CInt, _ action: String) -> LMDBError {
    let error = store._withUnsafeGuaranteedRef { $0.error(code, action) }
    failure = error
    return error
  }
}

/// The changes of one write transaction until now, and their limits.
///
/// All changed pages stay in memory until the commit, and a long list of them slows each further
/// change.
struct TransactionChanges {
  static let maximumBytes = 32 << 20
  static let maximumOperations = 5_000

  private(set) var byteCount = 0
  private var operations = 0
  private var largestValue = 0

  var isEmpty: Bool { operations == 0 }

  /// Counts a value to be set; returns false if that exceeds the limit of one transaction.
  ///
  /// The largest value is exempt: the limit applies to the sum of the others.
  mutating func put(_ bytes: Int) -> Bool {
    byteCount += bytes
    largestValue = max(largestValue, bytes)
    return change() && byteCount - largestValue <= Self.maximumBytes
  }

  /// Counts an entry to be removed; returns false if that exceeds the limit.
  mutating func change() -> Bool {
    operations += 1
    return operations <= Self.maximumOperations
  }
}

extension LMDBError {
  static func tooMuch(_ path: String) -> LMDBError {
    LMDBError(
      .transactionFull,
      "one write changes at most \(TransactionChanges.maximumOperations) entries and sets"
        + " \(TransactionChanges.maximumBytes >> 20) MiB in addition to its largest value; write in smaller ones",
      path: path)
  }
}
