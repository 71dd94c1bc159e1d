import CLMDB
import Threading

/// The only thread that writes an environment. LMDB ties a write transaction to its thread.
///
/// It starts with the first write, so a process that only reads has no such thread. Bodies run in
/// the order of submission, because later ones build on earlier ones.
final class WriterThread: Sendable {
  typealias Body = @Sendable () -> Void

  private struct State {
    var bodies: [Body] = []
    var thread: WorkerThread?
    var identifier: UInt64?
    var isFinishing = false
    /// Whether further bodies are refused.
    var isOver = false
  }

  /// The store that the bodies write.
  let store: EnvironmentStore
  private let state = Monitor(State())
  private let atExit: Body

  /// - Parameter atExit: runs last, on the thread if it exists by that time
  init(_ store: EnvironmentStore, atExit: @escaping Body) {
    self.store = store
    self.atExit = atExit
  }

  var isStarted: Bool { state.read { state in state.thread != nil } }

  /// Adds a body after the waiting ones.
  ///
  /// - Parameter waiting: the writers that wait for the body
  /// - Throws: the reason why no thread can run it
  func enqueue(waiting: WaitingWriters, _ body: @escaping Body) throws(LMDBError) {
    // A forked child has no such thread, and a thread that it lacks may hold the lock.
    try store.verifyProcess()
    let isQueued = state.withLock { state in
      if state.isOver { return false }
      if !state.isFinishing, state.thread == nil {
        // The thread retains this object until it has finished.
        state.thread = WorkerThread { self.run() }
        if state.thread == nil { return false }
      }
      state.bodies.append { waiting.block(on: self, body) }
      return true
    }
    if isQueued { return }
    // Throws if the store is closed.
    store.end(try store.use())
    throw LMDBError(
      .outOfMemory,
      "the system refused a thread to write on; end some processes or raise ulimit -u",
      path: store.path)
  }

  /// Lets the thread finish the waiting bodies and end; waits for that unless called on it.
  func finish() {
    let (thread, identifier) = state.withLock { state in
      state.isFinishing = true
      state.isOver = state.thread == nil
      return (state.thread.take(), state.identifier)
    }
    guard let thread else { return atExit() }
    if identifier == CurrentThread.identifier { thread.detach() } else { thread.join() }
  }

  // MARK: On the thread

  private func run() {
    state.withLock { state in state.identifier = CurrentThread.identifier }
    while let bodies = nextBodies() { perform(bodies) }
    atExit()
    // Bodies that arrived meanwhile find the environment closed.
    let late = state.withLock { state in
      state.isOver = true
      defer { state.bodies.removeAll() }
      return state.bodies
    }
    perform(late)
  }

  private func perform(_ bodies: [Body]) {
    var bodies = Array(bodies.reversed())
    // Each body is released with all it holds before the next one runs.
    while let body = bodies.popLast() { body() }
  }

  /// The waiting bodies; nil if there will be no more.
  private func nextBodies() -> [Body]? {
    state.wait { (state: inout State) -> [Body]?? in
      if !state.bodies.isEmpty {
        defer { state.bodies.removeAll() }
        return .some(state.bodies)
      }
      return state.isFinishing ? .some(nil) : nil
    }
  }
}

/// The writers that wait for the current body of a writer thread.
///
/// A body may write another environment, and its body a third. A write to an environment that
/// already waits would wait for itself.
struct WaitingWriters: Sendable {
  private var writers: [ObjectIdentifier] = []

  static let ofThreads = Monitor<[UInt64: WaitingWriters]>([:])

  /// The writers that wait for the calling thread.
  static var current: WaitingWriters {
    let thread = CurrentThread.identifier
    return ofThreads.read { threads in threads[thread] ?? WaitingWriters() }
  }

  func contains(_ writer: WriterThread) -> Bool { writers.contains(ObjectIdentifier(writer)) }

  /// Runs a body on a writer's thread for which these writers wait.
  fileprivate func block(on writer: WriterThread, _ body: () -> Void) {
    let thread = CurrentThread.identifier
    var all = self
    all.writers.append(ObjectIdentifier(writer))
    Self.ofThreads.withLock { threads in threads[thread] = all }
    defer { Self.ofThreads.withLock { threads in threads[thread] = nil } }
    body()
  }
}

/// The calling thread, identified as the kernel does.
package enum CurrentThread {
  package static var identifier: UInt64 { feedcore_thread_id() }
}
