#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Swift hides `fork` because little is allowed in the child. These tests do little.
package enum Fork {
  package struct Failure: Error {}

  /// Whether the body returned true in a forked child.
  ///
  /// The body runs in this process first. The lazy setup of the runtime takes locks that a thread
  /// of another test may hold at the moment of the fork.
  package static func run(_ body: () -> Bool) throws -> Bool {
    _ = body()
    // A child that hangs on a lock of the parent's fails the test instead.
    return try child(seconds: 20) { body() ? 0 : 1 } == 0
  }

  /// Runs a body in a forked child and waits for it. Returns the result of the body, or the
  /// negative number of the signal that ended the child. The signal is SIGALRM after more than
  /// `seconds`.
  ///
  /// For processes of one thread, where no lock can be held at the moment of the fork.
  package static func child(seconds: UInt32, _ body: () -> UInt8) throws -> Int32 {
    guard let symbol = dlsym(dlopen(nil, RTLD_NOW), "fork") else { throw Failure() }
    let fork = unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)
    let child = fork()
    guard child >= 0 else { throw Failure() }
    if child == 0 {
      alarm(seconds)
      _exit(CInt(body()))
    }
    var status: CInt = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    let signal = status & 0x7F
    return signal == 0 ? status >> 8 & 0xFF : -signal
  }
}
