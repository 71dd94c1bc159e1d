#if canImport(Glibc)
  package import Glibc
#else
  package import Darwin
#endif

// Structures on Linux, pointers on macOS.
#if canImport(Glibc)
  private typealias FileActions = posix_spawn_file_actions_t
  private typealias Attributes = posix_spawnattr_t
#else
  private typealias FileActions = posix_spawn_file_actions_t?
  private typealias Attributes = posix_spawnattr_t?
#endif

/// A process for one test. Its output goes to files, so that neither side waits for the other.
package final class RunningCommand {
  /// A standard stream of the process.
  package enum Stream {
    case nothing
    case file(String)
    case descriptor(CInt)
    /// The descriptor is closed.
    case closed
  }

  package struct Failure: Error {
    package let number: CInt
  }

  package let process: pid_t
  private var ending: Int32?

  package init(
    _ path: String, _ arguments: [String], environment: [String: String], input: Stream,
    output: Stream, errors: Stream
  ) throws {
    var actions = Self.noActions
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    Self.add(input, as: STDIN_FILENO, O_RDONLY, &actions)
    Self.add(output, as: STDOUT_FILENO, O_WRONLY | O_CREAT | O_TRUNC, &actions)
    Self.add(errors, as: STDERR_FILENO, O_WRONLY | O_CREAT | O_TRUNC, &actions)
    Self.closeOthers(&actions)
    var attributes = Self.noAttributes
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    Self.resetSignals(&attributes)
    var variables = environment.map { strdup("\($0.key)=\($0.value)") }
    var words = ([path] + arguments).map { strdup($0) }
    defer { for text in variables + words { free(text) } }
    variables.append(nil)
    words.append(nil)
    var process: pid_t = 0
    let code = posix_spawn(&process, path, &actions, &attributes, words, variables)
    guard code == 0 else { throw Failure(number: code) }
    self.process = process
  }

  deinit {
    if ending == nil {
      send(SIGKILL)
      _ = wait()
    }
  }

  /// Waits for the end. Returns the exit status, or the negative number of the signal that ended
  /// it.
  package func wait() -> Int32 {
    if let ending { return ending }
    var status: CInt = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return end(status)
  }

  /// Like ``wait()``, without blocking a thread that a server of the test might need. It polls for
  /// the end, because waitpid(2) has no asynchronous form. No result depends on the interval.
  package func waitWithoutBlocking() async throws -> Int32 {
    while isRunning { try await Task.sleep(for: .milliseconds(5)) }
    return wait()
  }

  /// True until it has ended.
  package var isRunning: Bool {
    guard ending == nil else { return false }
    var status: CInt = 0
    guard waitpid(process, &status, WNOHANG) == process else { return true }
    _ = end(status)
    return false
  }

  package func send(_ signal: CInt) {
    guard ending == nil else { return }
    kill(process, signal)
  }

  private func end(_ status: CInt) -> Int32 {
    let signal = status & 0x7F
    let result = signal == 0 ? status >> 8 & 0xFF : -signal
    ending = result
    return result
  }

  #if canImport(Glibc)
    private static var noActions: FileActions { FileActions() }
    private static var noAttributes: Attributes { Attributes() }
  #else
    private static var noActions: FileActions { nil }
    private static var noAttributes: Attributes { nil }
  #endif

  private static func add(
    _ stream: Stream, as descriptor: CInt, _ flags: CInt,
    _ actions: inout FileActions
  ) {
    switch stream {
    case .nothing:
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
    case .file(let path):
      posix_spawn_file_actions_addopen(&actions, descriptor, path, flags, 0o600)
    case .descriptor(let source):
      posix_spawn_file_actions_adddup2(&actions, source, descriptor)
    case .closed:
      posix_spawn_file_actions_addclose(&actions, descriptor)
    }
  }

  // A connection of another test does not end while a process has its socket. Each descriptor costs
  // an action, and tests have fewer than a thousand of them.
  private static func closeOthers(_ actions: inout FileActions) {
    #if canImport(Glibc)
      // Closing a descriptor that is not open is not an error here.
      for descriptor in STDERR_FILENO + 1..<min(getdtablesize(), 1024) {
        posix_spawn_file_actions_addclose(&actions, descriptor)
      }
    #endif
  }

  // The environment of the tests may ignore or block the signals under test.
  private static func resetSignals(_ attributes: inout Attributes) {
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigaddset(&signals, SIGINT)
    sigaddset(&signals, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    var flags = CInt(POSIX_SPAWN_SETSIGMASK) | CInt(POSIX_SPAWN_SETSIGDEF)
    #if !canImport(Glibc)
      flags |= CInt(POSIX_SPAWN_CLOEXEC_DEFAULT)
    #endif
    posix_spawnattr_setflags(&attributes, Int16(truncatingIfNeeded: flags))
  }
}
