import Threading

/// A submitted write, which runs in its turn.
package final class WriteTicket: Sendable {
  private let outcome = Monitor<Result<Void, LMDBError>?>(nil)
  private let writer: WriterThread
  private let path: String

  init(_ writer: WriterThread, path: String) {
    self.writer = writer
    self.path = path
  }

  /// Whether the write has committed or failed, so that `wait` returns at once.
  package var isComplete: Bool { outcome.read { outcome in outcome != nil } }

  /// The error of a failed write; nil if it is not complete or has committed.
  package var failure: LMDBError? {
    outcome.read { outcome in
      guard case .failure(let error) = outcome else { return nil }
      return error
    }
  }

  func complete(_ result: Result<Void, LMDBError>) {
    outcome.withLock { outcome in outcome = result }
  }

  /// Waits until the write has been committed.
  ///
  /// - Throws: the write's error; `reentrantWrite` inside a write, where it would wait for itself;
  ///   `forked` in a child, which has no writer thread
  package func wait() throws(LMDBError) {
    if writer.isForked { throw .forked(path) }
    if WritesUnderWay.current.contains(writer) { throw .reentrantWrite(path) }
    try outcome.wait { outcome in outcome }.get()
  }
}

extension LMDBError {
  static func reentrantWrite(_ path: String) -> LMDBError {
    LMDBError(
      .reentrantWrite,
      "a write cannot start or await another one of the same store; use the transaction it has",
      path: path)
  }
}
