import Synchronization
import Threading

/// The only thread that writes an environment: an executor for tasks, and for bodies whose callers
/// wait.
///
/// It starts with the first job, so a process that only reads has no such thread. Jobs run in the
/// order of submission, whatever their priority, because later ones build on earlier ones.
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
    /// Whether further jobs are refused.
    var isOver = false
  }

  private let state = Monitor(State())
  private let forkGeneration = ForkGuard.generation
  private let atExit: Body

  /// - Parameter atExit: runs last, on the thread if it exists by then
  init(atExit: @escaping Body) {
    self.atExit = atExit
  }

  /// Whether this process is a fork of the one that owns the thread.
  var isForked: Bool { ForkGuard.generation != forkGeneration }

  var isStarted: Bool { state.read { state in state.thread != nil } }

  /// Whether the caller runs on this thread.
  var isCurrent: Bool {
    state.read { state in state.identifier } == CurrentThread.identifier
  }

  /// Adds a task's next job. Without a thread, the job runs on the caller's thread and detects
  /// that.
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if !enqueue(.task(job)) { job.runSynchronously(on: asUnownedSerialExecutor()) }
  }

  func isIsolatingCurrentContext() -> Bool? { isCurrent }

  /// Adds a body after the waiting jobs; returns false if there is no thread for it.
  func enqueue(_ body: @escaping Body) -> Bool { enqueue(.body(body)) }

  private func enqueue(_ job: Job) -> Bool {
    // A forked child has no such thread, and a thread that it lacks may hold the lock.
    if isForked { return false }
    return state.withLock { state in
      if state.isOver { return false }
      if !state.isFinishing, state.thread == nil {
        // The thread retains this object until it has finished.
        state.thread = WorkerThread { self.run() }
        if state.thread == nil { return false }
      }
      state.jobs.append(job)
      return true
    }
  }

  /// Lets the thread finish the waiting jobs and end; waits for that unless called on it.
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
    // Jobs that arrived meanwhile find the environment closed.
    let late = state.withLock { state in
      state.isOver = true
      defer { state.jobs.removeAll() }
      return state.jobs
    }
    perform(late)
  }

  private func perform(_ jobs: [Job]) {
    var jobs = Array(jobs.reversed())
    // Each job is released with all it holds before the next one runs.
    while let job = jobs.popLast() {
      switch job {
      case .body(let body): body()
      case .task(let task): task.runSynchronously(on: asUnownedSerialExecutor())
      }
    }
  }

  /// The waiting jobs; nil if there will be no more.
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
