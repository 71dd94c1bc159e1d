import CLMDB

extension EnvironmentStore {
  /// Runs a body in a write transaction on the calling thread: commits when it
  /// returns, aborts when it throws.
  ///
  /// LMDB ties a write transaction to its thread, by a lock that would wait
  /// for itself; `Environment` calls this on its writer thread only.
  func transact<R, Failure: LMDBErrorConvertible>(
    _ body: (inout WriteTransaction) throws(Failure) -> R
  ) throws(Failure) -> R {
    let handle: OpaquePointer
    do throws(LMDBError) {
      handle = try beginWriting()
    } catch {
      throw Failure(error)
    }
    var transaction = WriteTransaction(handle: handle, store: self)
    let result: R
    do throws(Failure) {
      result = try body(&transaction)
    } catch {
      mdb_txn_abort(handle)
      throw error
    }
    if let failure = transaction.failure {
      mdb_txn_abort(handle)
      throw Failure(failure)
    }
    let code = mdb_txn_commit(handle)
    if code != 0 { throw Failure(error(code, "commit")) }
    return result
  }

  private func beginWriting() throws(LMDBError) -> OpaquePointer {
    try verifyProcess()
    // A killed reader would keep its snapshot's pages from being used again.
    checkReaders()
    var transaction: OpaquePointer?
    var code = mdb_txn_begin(handle, nil, 0, &transaction)
    if code == MDB_MAP_RESIZED {
      try adoptMapSize(activeReaders: 0)
      code = mdb_txn_begin(handle, nil, 0, &transaction)
    }
    guard code == 0, let transaction else { throw error(code, "begin writing") }
    return transaction
  }
}
