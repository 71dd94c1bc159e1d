import Threading

/// A snapshot that spans several reads, until it is ended or released.
///
/// All pages it sees stay in the file until then, even if they are replaced. Ordinary reads use
/// `Environment.read` instead.
///
/// LMDB allows one thread at a time in a transaction. Other threads wait; the reading thread may
/// read again from inside its body.
package final class HeldSnapshot: Sendable {
  private struct State {
    /// Nil after the reader has been released.
    var reader: OpenFiles.Reader?
    var hasEnded = false
    /// The thread whose bodies run, and their nesting depth.
    var thread: UInt64 = 0
    var depth = 0
  }

  private let environment: Environment
  private let state: Monitor<State>

  package init(of environment: Environment) throws(LMDBError) {
    self.environment = environment
    state = Monitor(State(reader: OpenFiles.Reader(handle: try environment.readers.acquire())))
  }

  // No body can be running, because it would hold a reference.
  deinit { end() }

  /// Ends the snapshot after the running bodies; its pages become reusable. May be called again.
  package func end() {
    state.withLock { state in
      state.hasEnded = true
      giveBack(&state)
    }
  }

  /// Runs a body on the snapshot.
  ///
  /// - Throws: `closed` after `end`; `forked`; the body's error
  package func read<R, Failure: LMDBErrorConvertible>(
    _ body: (borrowing ReadTransaction) throws(Failure) -> R
  ) throws(Failure) -> R {
    let reader: OpenFiles.Reader
    do throws(LMDBError) {
      try environment.store.verifyProcess()
      reader = try enter()
    } catch {
      throw Failure(error)
    }
    defer { leave() }
    return try body(environment.readers.transaction(reader.handle))
  }

  private func enter() throws(LMDBError) -> OpenFiles.Reader {
    let thread = CurrentThread.identifier
    return try state.wait { state throws(LMDBError) -> OpenFiles.Reader? in
      guard let reader = state.reader, !state.hasEnded else {
        throw LMDBError(.closed, "the snapshot was ended", path: environment.path)
      }
      guard state.depth == 0 || state.thread == thread else { return nil }
      state.thread = thread
      state.depth += 1
      return reader
    }
  }

  private func leave() {
    state.withLock { state in
      state.depth -= 1
      giveBack(&state)
    }
  }

  private func giveBack(_ state: inout State) {
    // In a forked child the reader slot belongs to the parent.
    guard state.hasEnded, state.depth == 0, !environment.store.isForked,
      let reader = state.reader.take()
    else { return }
    environment.readers.release(reader.handle)
  }
}
