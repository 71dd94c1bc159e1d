import Synchronization

/// A snapshot that spans several reads, until it is ended or let go.
///
/// All pages that it sees stay in the file as long, whatever replaces them; ordinary reads are
/// bodies of `Environment.read`.
///
/// Reads of one snapshot follow each other: LMDB lets one thread at a time into a transaction.
package final class HeldSnapshot: Sendable {
  // With `MDB_NOTLS` a read transaction may move between threads; the mutex lets in one at a time.
  private struct Reader: @unchecked Sendable { let handle: OpaquePointer }

  private let environment: Environment
  private let reader: Mutex<Reader?>

  package init(of environment: Environment) throws(LMDBError) {
    self.environment = environment
    reader = Mutex(Reader(handle: try environment.acquireReader()))
  }

  deinit { end() }

  /// Ends the snapshot; what it kept can be used again. May be called again.
  package func end() {
    reader.withLock { reader in
      if let held = reader.take() { environment.releaseReader(held.handle) }
    }
  }

  /// Runs a body on the snapshot.
  ///
  /// - Throws: `closed` once it has been ended; what the body throws.
  package func read<R, Failure: LMDBErrorConvertible>(
    _ body: (borrowing ReadTransaction) throws(Failure) -> R
  ) throws(Failure) -> R {
    try reader.withLock { reader throws(Failure) in
      guard let held = reader else {
        throw Failure(LMDBError(.closed, "the snapshot was ended", path: environment.path))
      }
      return try body(environment.readTransaction(held.handle))
    }
  }
}
