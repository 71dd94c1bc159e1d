import Synchronization
import Threading

/// The one thread on which an environment is written, with jobs in order.
final class WriterThread: Sendable {
  typealias Job = @Sendable () -> Void

  private struct State {
    var jobs: [Job] = []
    var isFinishing = false
    var identifier: UInt64?
  }

  /// What the thread itself holds on to.
  private final class Loop: Sendable {
    let state = Monitor(State())
    let atExit: Job

    init(atExit: @escaping Job) {
      self.atExit = atExit
    }

    func run() {
      state.withLock { state in state.identifier = CurrentThread.identifier }
      while var jobs = nextJobs() {
        // Each job, with all it holds, is gone before the next one runs.
        while let job = jobs.popLast() { job() }
      }
      atExit()
    }

    /// The waiting jobs, last first; nil when there will be no more.
    private func nextJobs() -> [Job]? {
      state.wait { (state: inout State) -> [Job]?? in
        if !state.jobs.isEmpty {
          defer { state.jobs.removeAll() }
          return .some(state.jobs.reversed())
        }
        return state.isFinishing ? .some(nil) : nil
      }
    }
  }

  /// The kernel's id of the thread.
  let identifier: UInt64
  private let loop: Loop
  /// Nil once somebody waits for its end.
  private let thread: Mutex<WorkerThread?>

  /// Starts the thread.
  ///
  /// - Parameter atExit: runs on the thread as the last thing it does
  init?(atExit: @escaping Job) {
    let loop = Loop(atExit: atExit)
    guard let thread = WorkerThread({ loop.run() }) else { return nil }
    self.loop = loop
    self.thread = Mutex(thread)
    identifier = loop.state.wait { state in state.identifier }
  }

  var isCurrent: Bool { CurrentThread.identifier == identifier }

  /// Adds a job behind those that wait; false where the thread is about to end.
  @discardableResult
  func enqueue(_ job: @escaping Job) -> Bool {
    loop.state.withLock { state in
      if state.isFinishing { return false }
      state.jobs.append(job)
      return true
    }
  }

  /// Lets the thread do what is waiting, and end; waits for that unless called on it.
  func finish() {
    loop.state.withLock { state in state.isFinishing = true }
    // One that ends itself is let go of: nobody can wait for it then.
    let thread = thread.withLock { thread in thread.take() }
    if !isCurrent { thread?.join() }
  }
}
