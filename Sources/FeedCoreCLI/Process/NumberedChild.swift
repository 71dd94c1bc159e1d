import FeedStorage
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Does the work of this process in a child, if a process in another PID namespace has the same PID
/// and has the store open. The first processes of two containers that share a volume are an
/// example.
///
/// LMDB distinguishes readers by their PIDs. The child gets the next PID. If that is taken, too,
/// another child is started. This process waits, forwards signals, and ends as the child did.
enum NumberedChild {
  /// The store of the command line, which the command has not opened yet.
  private static let directory = Mutex<String?>(nil)

  /// Notes the store of the parsed command.
  static func note(_ directory: String) { Self.directory.withLock { $0 = directory } }

  #if canImport(Glibc)
    private static let marker = "FEEDCORE_NUMBERED_CHILD"
    /// The exit status of a child whose PID is taken. No command ends with it.
    private static let isTaken: Int32 = 111
    private static let attempts = 200

    private static let forwarded = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2]

    /// Runs the command in a child if necessary; nil if this process can run it.
    ///
    /// Must be called before the store is opened: it opens and closes the lock files of LMDB.
    static func run() throws(Failure) -> Int32? {
      let isChild = getenv(marker) != nil
      // Other programs that this process starts must not inherit the marker.
      unsetenv(marker)
      guard let directory = directory.withLock({ $0 }),
        FeedDatabase.isProcessNumberTaken(at: directory)
      else { return nil }
      if isChild { return isTaken }
      for _ in 0..<attempts {
        let status = try runChild()
        if status != isTaken { return status }
      }
      throw Failure(
        .busy,
        "\(directory): processes in other PID namespaces have the numbers of \(attempts) processes of"
          + " this one; let them share a PID namespace")
    }

    private static func runChild() throws(Failure) -> Int32 {
      var signals = sigset_t()
      sigemptyset(&signals)
      for signal in forwarded + [SIGCHLD] { sigaddset(&signals, signal) }
      var previous = sigset_t()
      // The first process of a namespace receives a signal without a handler only if it is blocked.
      sigprocmask(SIG_BLOCK, &signals, &previous)
      defer { sigprocmask(SIG_SETMASK, &previous, nil) }
      let child = try spawn(mask: previous)
      while true {
        var information = siginfo_t()
        let signal = sigwaitinfo(&signals, &information)
        if signal == SIGCHLD {
          if let status = status(of: child) { return status }
        } else if signal > 0, information.si_code <= 0 {
          // The terminal sends its signals to the child, too.
          kill(child, signal)
        }
      }
    }

    /// The exit status of the child, if it has ended. The first process of a namespace also
    /// inherits the children of others.
    private static func status(of child: pid_t) -> Int32? {
      var status: CInt = 0
      while true {
        let ended = waitpid(-1, &status, WNOHANG)
        if ended == child {
          let signal = status & 0x7F
          return signal == 0 ? status >> 8 & 0xFF : 128 + signal
        }
        guard ended > 0 || (ended < 0 && errno == EINTR) else { return nil }
      }
    }

    private static func spawn(mask: sigset_t) throws(Failure) -> pid_t {
      var mask = mask
      var attributes = posix_spawnattr_t()
      posix_spawnattr_init(&attributes)
      defer { posix_spawnattr_destroy(&attributes) }
      posix_spawnattr_setsigmask(&attributes, &mask)
      posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
      setenv(marker, "1", 1)
      defer { unsetenv(marker) }
      var child: pid_t = 0
      let code = posix_spawn(
        &child, "/proc/self/exe", nil, &attributes, CommandLine.unsafeArgv, environ)
      guard code == 0 else {
        throw Failure(.failedIO, "cannot start a process: \(String(cString: strerror(code)))")
      }
      return child
    }
  #else
    static func run() throws(Failure) -> Int32? { nil }
  #endif
}
