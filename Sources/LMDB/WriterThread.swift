import Synchronization
import Threading

/// The one thread on which an environment is written: an executor for tasks, and for bodies whose
/// callers wait.
///
/// It starts with the first job, so who only reads has no such thread. All jobs run in the order in
/// which they came, whatever their priority: what was submitted first is what later ones build on.
final class WriterThread: SerialExecutor {
  typealias Body = @Sendable () -> Void

  private enum Job: Sendable {
    case body(Body)
    case task(UnownedJob)
  }

  private struct State {
    var jobs: [Job] = []
    var thread: WorkerThread?
    var identifier: UInt64?
    var isFinishing = false
    /// Whether nothing is taken any more.
    var isOver = false
  }

  private let state = Monitor(State())
  private let forkGeneration = ForkGuard.generation
  private let atExit: Body

  /// - Parameter atExit: the last thing that is done, on the thread if there is one by then
  init(atExit: @escaping Body) {
    self.atExit = atExit
  }

  /// Whether this is another process than the one whose thread it is.
  var isForked: Bool { ForkGuard.generation != forkGeneration }

  var isStarted: Bool { state.read { state in state.thread != nil } }

  /// Whether the caller runs on this thread.
  var isCurrent: Bool {
    state.read { state in state.identifier } == CurrentThread.identifier
  }

  /// A task's next part. Where there is no thread for it, it runs where it is, and finds that out.
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if !enqueue(.task(job)) { job.runSynchronously(on: asUnownedSerialExecutor()) }
  }

  func isIsolatingCurrentContext() -> Bool? { isCurrent }

  /// Adds a body behind the jobs that wait; false where there is no thread for it.
  func enqueue(_ body: @escaping Body) -> Bool { enqueue(.body(body)) }

  private func enqueue(_ job: Job) -> Bool {
    // A forked child has no such thread, and the lock may be that of a thread which it has not.
    if isForked { return false }
    return state.withLock { state in
      if state.isOver { return false }
      if !state.isFinishing, state.thread == nil {
        // The thread holds on to this object until it is finished.
        state.thread = WorkerThread { self.run() }
        if state.thread == nil { return false }
      }
      state.jobs.append(job)
      return true
    }
  }

  /// Lets the thread do what is waiting, and end; waits for that unless called on it.
  func finish() {
    let thread = state.withLock { state in
      state.isFinishing = true
      state.isOver = state.thread == nil
      return state.thread.take()
    }
    guard let thread else { return atExit() }
    if isCurrent { thread.detach() } else { thread.join() }
  }

  // MARK: On the thread

  private func run() {
    state.withLock { state in state.identifier = CurrentThread.identifier }
    while let jobs = nextJobs() { perform(jobs) }
    atExit()
    // What came meanwhile finds that all is closed.
    let late = state.withLock { state in
      state.isOver = true
      defer { state.jobs.removeAll() }
      return state.jobs
    }
    perform(late)
  }

  private func perform(_ jobs: [Job]) {
    var jobs = Array(jobs.reversed())
    // Each job, with all it holds, is gone before the next one runs.
    while let job = jobs.popLast() {
      switch job {
      case .body(let body): body()
      case .task(let task): task.runSynchronously(on: asUnownedSerialExecutor())
      }
    }
  }

  /// The waiting jobs; nil when there will be no more.
  private func nextJobs() -> [Job]? {
    state.wait { (state: inout State) -> [Job]?? in
      if !state.jobs.isEmpty {
        defer { state.jobs.removeAll() }
        return .some(state.jobs)
      }
      return state.isFinishing ? .some(nil) : nil
    }
  }
}
