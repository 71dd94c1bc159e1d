import CLMDB

extension Environment {
  /// Runs a body in a write transaction on the writer thread and waits for it. The transaction
  /// commits when the body returns and rolls back when it throws.
  ///
  /// - Throws: the body's error; `reentrantWrite` inside a write
  package func write<R, Failure: LMDBErrorConvertible>(
    _ body: (inout WriteTransaction) throws(Failure) -> R
  ) throws(Failure) -> R {
    // Not a default argument, with which the compiler fails to explain what a body may not return.
    try write(lineage: nil, body)
  }

  /// Runs a body in a write transaction as ``write(_:)`` does.
  ///
  /// - Parameter lineage: the lineage of the file with the data that the body builds on. If a
  ///   restored file has replaced it, `replaced` is thrown and nothing is written.
  package func write<R, Failure: LMDBErrorConvertible>(
    lineage: UInt64?, _ body: (inout WriteTransaction) throws(Failure) -> R
  ) throws(Failure) -> R {
    let waiting = WaitingWriters.current
    if waiting.contains(writer), !store.isForked { throw Failure(.reentrantWrite(path)) }
    // The body does not outlive this call, which waits for it.
    let result = withoutActuallyEscaping(body) { body in
      let write = PendingWrite(writer, lineage: lineage, body)
      write.enqueue(waiting: waiting)
      return write.result()
    }
    return try result.get()
  }

  /// Runs a body in a write transaction on the writer thread and awaits it.
  package func write<R: Sendable, Failure: LMDBErrorConvertible>(
    _ body: @escaping @Sendable (inout WriteTransaction) throws(Failure) -> R
  ) async throws(Failure) -> R {
    let write = PendingWrite(writer, lineage: nil, body)
    await withCheckedContinuation { continuation in
      write.enqueue(waiting: WaitingWriters()) { continuation.resume() }
    }
    return try write.result().get()
  }

  /// Runs a body in a write transaction on the writer thread, after all writes submitted before.
  ///
  /// - Parameter lineage: as for `write`; the error of the pending write is `replaced`
  package func submit(
    lineage: UInt64? = nil,
    _ body: @escaping @Sendable (inout WriteTransaction) throws(LMDBError) -> Void
  ) -> PendingWrite<Void, LMDBError> {
    let write = PendingWrite(writer, lineage: lineage, body)
    // The submitter may wait for it.
    write.enqueue(waiting: WaitingWriters.current)
    return write
  }

  /// Makes everything that was committed survive a power cut.
  package func flush() throws(LMDBError) {
    try store.verifyProcess()
    let file = try store.use()
    defer { store.end(file) }
    let code = mdb_env_sync(file.handle, 1)
    if code != 0 { throw store.error(code, "synchronise") }
  }

  /// Commits again, so that both meta pages lead to the last committed state. Damage to the number
  /// in one page would otherwise lead to the state before it. If the commit fails, as on a full
  /// disk, nothing changes.
  package func commitAgain() {
    try? write { (transaction: inout WriteTransaction) throws(LMDBError) in
      try transaction.touch()
    }
  }
}
