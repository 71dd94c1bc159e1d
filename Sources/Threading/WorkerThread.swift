#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A thread that runs one body and ends.
///
/// It receives only the signals that its own instructions raise. All others go to the program's
/// own threads.
package final class WorkerThread: Sendable {
  /// A `pthread_t` is an integer on Linux and a pointer on macOS. Both only identify the thread.
  private struct Handle: @unchecked Sendable {
    var value: pthread_t
  }

  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// The bodies need little stack, and its pages are allocated once touched.
  private static let stackSize = 4 << 20

  private let handle: Handle

  /// Starts the thread; nil if the system cannot start one.
  package init?(_ body: @escaping @Sendable () -> Void) {
    var attributes = pthread_attr_t()
    guard pthread_attr_init(&attributes) == 0 else { return nil }
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setstacksize(&attributes, Self.stackSize)

    // The new thread inherits the mask.
    var all = sigset_t()
    var previous = sigset_t()
    sigfillset(&all)
    // The thread's own faults: if blocked, they would end the process without calling any handler.
    for signal in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP] { sigdelset(&all, signal) }
    pthread_sigmask(SIG_SETMASK, &all, &previous)
    defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }

    // The thread takes over this reference.
    let context = Unmanaged.passRetained(Body(body))
    #if canImport(Glibc)
      var thread = pthread_t()
      let code = pthread_create(&thread, &attributes, Self.entry, context.toOpaque())
      let started: pthread_t? = thread
    #else
      var started: pthread_t?
      let code = pthread_create(&started, &attributes, Self.entry, context.toOpaque())
    #endif
    guard code == 0, let started else {
      context.release()
      return nil
    }
    handle = Handle(value: started)
  }

  /// Waits until the body has returned. Call this or ``detach()``, once.
  package func join() { pthread_join(handle.value, nil) }

  /// Lets the thread end without ``join()``.
  package func detach() { pthread_detach(handle.value) }

  private typealias Context = UnsafeMutableRawPointer

  #if canImport(Glibc)
    private static let entry: @convention(c) (Context?) -> Context? = { context in
      if let context { WorkerThread.run(context) }
      return nil
    }
  #else
    private static let entry: @convention(c) (Context) -> Context? = { context in
      WorkerThread.run(context)
      return nil
    }
  #endif

  private static func run(_ context: Context) {
    Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
  }
}

/// Runs blocking work on its own thread while the caller is suspended: the cooperative pool has
/// too few threads to block.
///
/// If no thread can be started, the work runs on the caller's.
package func onWorkerThread<Value: Sendable>(
  _ work: @escaping @Sendable () throws -> Value
) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    let run: @Sendable () -> Void = { continuation.resume(with: Result(catching: work)) }
    if let thread = WorkerThread(run) { thread.detach() } else { run() }
  }
}

/// Identifies a thread among all that run at the same time. Once it has ended, a later thread may
/// get the same identity.
package struct ThreadIdentity: Hashable, Sendable {
  private let number: UInt

  /// The current thread.
  package static var current: ThreadIdentity {
    #if canImport(Glibc)
      ThreadIdentity(number: UInt(pthread_self()))
    #else
      ThreadIdentity(number: UInt(bitPattern: pthread_self()))
    #endif
  }
}
