#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Swift hides `fork` since little may be done in the child; these tests do little.
package enum Fork {
  package struct Failure: Error {}

  /// Whether the body returned true in a forked child.
  ///
  /// It runs here first: what the runtime sets up on first use takes locks
  /// that some other test's thread may hold at the moment of the fork.
  package static func run(_ body: () -> Bool) throws -> Bool {
    _ = body()
    // A child that hangs on a lock of the parent's fails the test instead.
    return try child(seconds: 20) { body() ? 0 : 1 } == 0
  }

  /// Runs a body in a forked child and waits for it: what it returned, or the number of the signal
  /// that ended it, negative. That is SIGALRM where it took longer than `seconds`.
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
