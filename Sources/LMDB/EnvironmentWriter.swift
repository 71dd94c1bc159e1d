/// Writes an environment: an actor whose executor is the environment's writer thread.
///
/// Tasks await it; other callers block in `write` or use `submit`. LMDB ties a write transaction to
/// its thread, and a default actor may change threads at every suspension.
actor EnvironmentWriter {
  private nonisolated let thread: WriterThread
  private nonisolated let store: EnvironmentStore

  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  /// - Parameter atExit: runs after the last write
  init(_ store: EnvironmentStore, atExit: @escaping @Sendable () -> Void) {
    self.store = store
    thread = WriterThread(atExit: atExit)
  }

  /// Whether there has been a write.
  nonisolated var isStarted: Bool { thread.isStarted }

  /// Whether one of its writes waits for the caller.
  nonisolated var isAwaitingCaller: Bool { WritesUnderWay.current.contains(thread) }

  /// Finishes the queued writes and waits for them, unless called from one of them.
  nonisolated func finish() { thread.finish() }

  /// Runs a body in a write transaction.
  func transact<R: Sendable, Failure: LMDBErrorConvertible>(
    _ body: @Sendable (inout WriteTransaction) throws(Failure) -> R
  ) -> Result<R, Failure> {
    // Without a thread, the executor runs the job on the caller's thread.
    guard thread.isCurrent else { return .failure(Failure(refused)) }
    return WritesUnderWay().run(on: thread) {
      Result { () throws(Failure) in try store.transact(body) }
    }
  }

  /// Runs a body in a write transaction and waits for it.
  nonisolated func write<R, Failure: LMDBErrorConvertible>(
    lineage: UInt64?, _ body: (inout WriteTransaction) throws(Failure) -> R
  ) throws(Failure) -> R {
    let waiting = WritesUnderWay.current
    if waiting.contains(thread) { throw Failure(.reentrantWrite(store.path)) }
    // The body does not outlive this call, which waits for it.
    let result = withoutActuallyEscaping(body) { body -> Result<R, Failure>? in
      let call = WriteCall(lineage: lineage, body)
      let (store, thread) = (store, thread)
      let isQueued = thread.enqueue {
        waiting.run(on: thread) { call.run(in: store) }
      }
      return isQueued ? call.wait() : nil
    }
    guard let result else { throw Failure(refused) }
    return try result.get()
  }

  /// Runs a body in a write transaction after all others; `complete` receives its result.
  nonisolated func submit(
    lineage: UInt64?,
    _ body: @escaping @Sendable (inout WriteTransaction) throws(LMDBError) -> Void
  ) -> WriteTicket {
    let ticket = WriteTicket(thread, path: store.path)
    let (store, thread) = (store, thread)
    // The submitter may wait for the ticket.
    let waiting = WritesUnderWay.current
    let isQueued = thread.enqueue {
      let result = waiting.run(on: thread) {
        Result { () throws(LMDBError) in try store.transact(lineage: lineage, body) }
      }
      ticket.complete(result)
    }
    if !isQueued { ticket.complete(.failure(refused)) }
    return ticket
  }

  /// The reason why there is no thread.
  private nonisolated var refused: LMDBError {
    do throws(LMDBError) {
      try store.verifyProcess()
      store.end(try store.use())
    } catch {
      return error
    }
    return LMDBError(
      .outOfMemory,
      "the system refused a thread to write on; end some processes or raise ulimit -u",
      path: store.path)
  }
}
