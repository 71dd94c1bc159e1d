#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A thread that does one thing and ends; signals are never delivered to it.
///
/// Whoever lets go of it without waiting lets it run on by itself.
///
/// `@unchecked Sendable`: a `pthread_t` is an integer on Linux and a pointer on macOS; both only
/// name the thread, for whose end at most one waits, since the value cannot be copied.
package struct WorkerThread: ~Copyable, @unchecked Sendable {
  package typealias Job = @Sendable () -> Void

  private let handle: pthread_t

  /// Starts the thread; nil where the system refuses.
  ///
  /// - Parameters:
  ///   - stackSize: the pages of a stack exist once touched.
  ///   - job: everything that the thread does.
  package init?(stackSize: Int = 4 << 20, _ job: @escaping Job) {
    guard let handle = Self.start(stackSize, Work(job)) else { return nil }
    self.handle = handle
  }

  deinit { pthread_detach(handle) }

  /// Waits for its end. Must not be called on the thread itself.
  package consuming func join() {
    pthread_join(handle, nil)
    discard self
  }

  private final class Work: Sendable {
    let job: Job
    init(_ job: @escaping Job) { self.job = job }
  }

  private static func start(_ stackSize: Int, _ work: Work) -> pthread_t? {
    var attributes = pthread_attr_t()
    guard pthread_attr_init(&attributes) == 0 else { return nil }
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setstacksize(&attributes, stackSize)

    // Signals are the business of the program's own threads: block them all while the new thread
    // inherits the mask.
    var all = sigset_t()
    var previous = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &previous)
    defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }

    // The thread takes over this reference.
    let context = Unmanaged.passRetained(work)
    #if canImport(Glibc)
      var thread = pthread_t()
    #else
      var thread: pthread_t?
    #endif
    guard pthread_create(&thread, &attributes, entry, context.toOpaque()) == 0 else {
      context.release()
      return nil
    }
    return thread
  }

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
    Unmanaged<Work>.fromOpaque(context).takeRetainedValue().job()
  }
}
