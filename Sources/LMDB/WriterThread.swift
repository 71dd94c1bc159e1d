// `pthread_attr_t` is found in whichever C module was read first.
import CLMDB

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

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
  private let thread: Handle

  /// A `pthread_t` is an integer on Linux and a pointer on macOS; both only name the thread.
  private struct Handle: @unchecked Sendable {
    var value: pthread_t
  }

  /// LMDB and the jobs need little; the pages of a stack exist once touched.
  private static let stackSize = 4 << 20

  /// Starts the thread.
  ///
  /// - Parameter atExit: runs on the thread as the last thing it does
  init?(atExit: @escaping Job) {
    let loop = Loop(atExit: atExit)
    guard let thread = Self.start(loop) else { return nil }
    self.loop = loop
    self.thread = Handle(value: thread)
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
    if isCurrent {
      pthread_detach(thread.value)
    } else {
      pthread_join(thread.value, nil)
    }
  }

  private static func start(_ loop: Loop) -> pthread_t? {
    var attributes = pthread_attr_t()
    guard pthread_attr_init(&attributes) == 0 else { return nil }
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setstacksize(&attributes, stackSize)

    // Signals are the business of the program's own threads: block them all
    // while the new thread inherits the mask.
    var all = sigset_t()
    var previous = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &previous)
    defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }

    // The thread takes over this reference.
    let context = Unmanaged.passRetained(loop)
    #if canImport(Glibc)
      var thread = pthread_t()
    #else
      var thread: pthread_t?
    #endif
    let code = pthread_create(&thread, &attributes, entry, context.toOpaque())
    if code != 0 {
      context.release()
      return nil
    }
    return thread
  }

  private typealias Context = UnsafeMutableRawPointer

  #if canImport(Glibc)
    private static let entry: @convention(c) (Context?) -> Context? = { context in
      if let context { WriterThread.run(context) }
      return nil
    }
  #else
    private static let entry: @convention(c) (Context) -> Context? = { context in
      WriterThread.run(context)
      return nil
    }
  #endif

  private static func run(_ context: Context) {
    Unmanaged<Loop>.fromOpaque(context).takeRetainedValue().run()
  }
}
