import CLMDB

extension Environment {
  /// Runs a body in a write transaction on the writer thread and waits for it:
  /// committed when it returns, undone when it throws.
  ///
  /// - Throws: what the body throws; `reentrantWrite` inside a write
  package func write<R, Failure: LMDBErrorConvertible>(
    _ body: (inout WriteTransaction) throws(Failure) -> R
  ) throws(Failure) -> R {
    try write(lineage: nil, body)
  }

  /// Runs a body in a write transaction as ``write(_:)`` does.
  ///
  /// - Parameter lineage: that of the file which holds what the body builds on; where a restored
  ///   one has taken its place, `replaced` is thrown and nothing is written
  package func write<R, Failure: LMDBErrorConvertible>(
    lineage: UInt64?, _ body: (inout WriteTransaction) throws(Failure) -> R
  ) throws(Failure) -> R {
    do throws(LMDBError) {
      try store.verifyProcess()
    } catch {
      throw Failure(error)
    }
    return try writer.write(lineage: lineage, body)
  }

  /// Runs a body in a write transaction on the writer thread, which the caller awaits.
  package func write<R: Sendable, Failure: LMDBErrorConvertible>(
    _ body: @escaping @Sendable (inout WriteTransaction) throws(Failure) -> R
  ) async throws(Failure) -> R {
    do throws(LMDBError) {
      try store.verifyProcess()
    } catch {
      throw Failure(error)
    }
    return try await writer.transact(body).get()
  }

  /// Has a body run in a write transaction on the writer thread, after all that were submitted.
  ///
  /// - Parameter lineage: as for `write`, where the ticket's error is `replaced`
  package func submit(
    lineage: UInt64? = nil,
    _ body: @escaping @Sendable (inout WriteTransaction) throws(LMDBError) -> Void
  ) -> WriteTicket {
    writer.submit(lineage: lineage, body)
  }

  /// Makes everything that was committed survive a power cut.
  package func flush() throws(LMDBError) {
    try store.verifyProcess()
    let file = try store.use()
    defer { store.end(file) }
    let code = mdb_env_sync(file.handle, 1)
    if code != 0 { throw store.error(code, "synchronise") }
  }

  /// Has both meta pages lead to what was committed last, as any commit that follows does: damage to
  /// the number in one of them would lead to the state before it. Where that cannot be, as on a full
  /// disk, nothing changes.
  package func commitAgain() {
    try? write { (transaction: inout WriteTransaction) throws(LMDBError) in
      try transaction.touch()
    }
  }
}
