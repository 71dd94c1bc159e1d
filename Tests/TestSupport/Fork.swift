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
    guard let symbol = dlsym(dlopen(nil, RTLD_NOW), "fork") else { throw Failure() }
    let fork = unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)
    _ = body()
    let child = fork()
    guard child >= 0 else { throw Failure() }
    if child == 0 {
      // A child that hangs on a lock of the parent's fails the test instead.
      alarm(20)
      _exit(body() ? 0 : 1)
    }
    var status: CInt = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    return status == 0
  }
}
