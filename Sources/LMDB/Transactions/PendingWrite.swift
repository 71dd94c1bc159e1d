import Threading

/// A write that runs in its turn on the writer thread, and its result.
///
/// `@unchecked Sendable`: body and result are transferred, never shared. The thread that creates
/// the write does not use the body again. The writer thread runs the body, releases it, and then
/// stores the result.
package final class PendingWrite<R, Failure: LMDBErrorConvertible>: @unchecked Sendable {
  typealias Body = (inout WriteTransaction) throws(Failure) -> R

  /// `@unchecked Sendable`: the writer thread stores it once under the lock of the monitor. The thread
  /// that waits reads it only after that.
  private struct Outcome: @unchecked Sendable {
    var result: Result<R, Failure>?
  }

  private let writer: WriterThread
  private let lineage: UInt64?
  private let start = ContinuousClock.now
  private var body: Body?
  private let outcome = Monitor(Outcome())

  init(_ writer: WriterThread, lineage: UInt64?, _ body: @escaping Body) {
    self.writer = writer
    self.lineage = lineage
    self.body = body
  }

  /// Queues the write. If the writer thread cannot run it, the write fails at once.
  ///
  /// - Parameters:
  ///   - waiting: the writers that wait for it
  ///   - completion: runs when the result is stored
  func enqueue(
    waiting: WaitingWriters, completion: @escaping @Sendable () -> Void = {}
  ) {
    do throws(LMDBError) {
      try writer.enqueue(waiting: waiting) {
        self.run()
        completion()
      }
    } catch {
      body = nil
      complete(.failure(Failure(error)))
      completion()
    }
  }

  /// Waits for the result.
  func result() -> Result<R, Failure> {
    outcome.wait { outcome in outcome.result }
  }

  private func run() {
    if let result = takeResult() { complete(result) }
  }

  /// A separate function, so that the body is released before the caller wakes.
  @inline(never)
  private func takeResult() -> Result<R, Failure>? {
    guard let body = body.take() else { return nil }
    return Result { () throws(Failure) in
      try writer.store.transact(lineage: lineage, waiting: writerWait, body)
    }
  }

  private var writerWait: WriterLock.Wait {
    WriterLock.Wait(timeout: writer.store.configuration.writerTimeout, start: start)
  }

  private func complete(_ result: Result<R, Failure>) {
    let box = Outcome(result: result)
    outcome.withLock { outcome in outcome = box }
  }
}

extension PendingWrite<Void, LMDBError> {
  /// Whether the write has committed or failed, so that `wait` returns at once.
  package var isComplete: Bool { outcome.read { outcome in outcome.result != nil } }

  /// The error of a failed write; nil if it is not complete or has committed.
  package var failure: LMDBError? {
    outcome.read { outcome in
      guard case .failure(let error) = outcome.result else { return nil }
      return error
    }
  }

  /// Waits until the write has been committed.
  ///
  /// - Throws: the write's error; `reentrantWrite` inside a write, where it would wait for itself;
  ///   `forked` in a child, which has no writer thread
  package func wait() throws(LMDBError) {
    let store = writer.store
    if store.isForked { throw .forked(store.path) }
    if WaitingWriters.current.contains(writer) { throw .reentrantWrite(store.path) }
    try result().get()
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
