#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A second process of this program, run to its end, and its output.
struct ChildProcess {
  enum Ending: Equatable {
    case exit(CInt)
    case signal(CInt)
  }

  let ending: Ending
  let lines: [String]

  /// Runs it. Its standard error is that of this process.
  init(_ arguments: [String]) throws(Failure) {
    var ends: [CInt] = [-1, -1]
    guard pipe(&ends) == 0 else { throw Self.failure(errno) }
    defer { close(ends[0]) }
    let process: pid_t
    do throws(Failure) {
      // Closed in the child, or the end of the output would never be detected.
      _ = fcntl(ends[0], F_SETFD, FD_CLOEXEC)
      _ = fcntl(ends[1], F_SETFD, FD_CLOEXEC)
      process = try Self.spawn(arguments, output: ends[1])
    } catch {
      close(ends[1])
      throw error
    }
    close(ends[1])
    lines = Self.read(ends[0])
    var status: CInt = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    let signal = status & 0x7F
    ending = signal == 0 ? .exit(status >> 8 & 0xFF) : .signal(signal)
  }

  private static func spawn(_ arguments: [String], output: CInt) throws(Failure) -> pid_t {
    #if canImport(Glibc)
      let path = "/proc/self/exe"
      var actions = posix_spawn_file_actions_t()
    #else
      let path = CommandLine.arguments.first ?? "feedcore"
      var actions: posix_spawn_file_actions_t?
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    var words = ([CommandLine.arguments.first ?? "feedcore"] + arguments).map { strdup($0) }
    words.append(nil)
    defer { for word in words { free(word) } }
    // A backtrace is not needed here, and takes seconds.
    setenv("SWIFT_BACKTRACE", "enable=no", 1)
    var process: pid_t = 0
    let code = posix_spawnp(&process, path, &actions, nil, words, environ)
    guard code == 0 else { throw failure(code) }
    return process
  }

  private static func failure(_ number: CInt) -> Failure {
    Failure(.failedIO, "cannot start a process: \(String(cString: strerror(number)))")
  }

  private static func read(_ descriptor: CInt) -> [String] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = systemRead(descriptor, &buffer)
      if count < 0, errno == EINTR { continue }
      if count <= 0 { break }
      bytes += buffer[..<count]
    }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }
}

// Within the type, `read` would refer to the method.
private func systemRead(_ descriptor: CInt, _ buffer: inout [UInt8]) -> Int {
  read(descriptor, &buffer, buffer.count)
}
