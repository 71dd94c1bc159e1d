import Threading

/// A snapshot that spans several reads, until it is ended or let go.
///
/// All pages that it sees stay in the file as long, whatever replaces them; ordinary reads are
/// bodies of `Environment.read`.
///
/// LMDB lets one thread at a time into a transaction: another one waits, while the one that is
/// reading may read from within its body too.
package final class HeldSnapshot: Sendable {
  private struct State {
    /// Nil once it has been given back.
    var reader: OpenFiles.Reader?
    var hasEnded = false
    /// The thread whose bodies run, and how many of them, one within the other.
    var thread: UInt64 = 0
    var depth = 0
  }

  private let environment: Environment
  private let state: Monitor<State>

  package init(of environment: Environment) throws(LMDBError) {
    self.environment = environment
    state = Monitor(State(reader: OpenFiles.Reader(handle: try environment.readers.acquire())))
  }

  // No body can be running: it would hold a reference.
  deinit { end() }

  /// Ends the snapshot, behind the bodies that are running; what it kept can be used again. May be
  /// called again.
  package func end() {
    state.withLock { state in
      state.hasEnded = true
      giveBack(&state)
    }
  }

  /// Runs a body on the snapshot.
  ///
  /// - Throws: `closed` once it has been ended, `forked`; what the body throws.
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
    // In a forked child the slot of the reader is the parent's.
    guard state.hasEnded, state.depth == 0, !environment.store.isForked,
      let reader = state.reader.take()
    else { return }
    environment.readers.release(reader.handle)
  }
}
