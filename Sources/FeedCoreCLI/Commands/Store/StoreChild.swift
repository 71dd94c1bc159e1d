import ArgumentParser
import FeedCore
import FeedStorage

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Operations on a store that may be damaged. They run in a child process, which damage may crash.
enum StoreChild {
  /// Checks an environment. A child that crashes because of what it has read is a finding.
  static func check(_ name: String, at directory: String) throws(Failure) -> StoreCheckReport {
    let child = try ChildProcess(["store", StoreChildCommand.name, "check", "--", name, directory])
    let lines = child.lines
    switch child.ending {
    case .exit(0):
      return StoreCheckReport(environment: name, lines: lines)
    case .exit(let status):
      // The child has printed the reason.
      throw Failure(ExitStatus(rawValue: status) ?? .failedIO)
    case .signal(let signal):
      guard let signal = damageSignals[signal] else { throw ended(name, directory, signal) }
      var report = StoreCheckReport(environment: name)
      report.findings = ["reading it ended a process by \(signal)"]
      return report
    }
  }

  /// Moves an environment aside if its file is the one that was checked, and returns its new path.
  static func quarantine(
    _ name: String, at directory: String, _ file: String
  ) throws(Failure) -> String {
    let child = try ChildProcess(
      ["store", StoreChildCommand.name, "quarantine", "--file", file, "--", name, directory])
    switch child.ending {
    case .exit(0):
      guard let path = child.lines.first else { throw Failure(.failedIO) }
      return path
    case .exit(let status):
      throw Failure(ExitStatus(rawValue: status) ?? .failedIO)
    case .signal(let signal):
      guard damageSignals[signal] != nil else { throw ended(name, directory, signal) }
    }
    do throws(StoreError) {
      // The environment is too damaged to open, so attached processes cannot be notified. It is
      // only renamed.
      return try FeedDatabase.quarantine(name, at: directory, file: file, opening: false)
    } catch {
      throw Failure(error)
    }
  }

  /// The signals that damaged data can cause. All others come from outside.
  private static let damageSignals: [CInt: String] = [
    SIGSEGV: "SIGSEGV", SIGBUS: "SIGBUS", SIGABRT: "SIGABRT", SIGILL: "SIGILL", SIGTRAP: "SIGTRAP",
  ]

  private static func ended(_ name: String, _ directory: String, _ signal: CInt) -> Failure {
    Failure(
      .failedIO,
      "\(directory)/\(name): signal \(signal) ended the process that read it, for a reason other than"
        + " the store; try again")
  }
}

extension StoreCheckReport {
  /// The report as lines of a child's output: a word and its value.
  var lines: [String] {
    [
      "pages \(pages)", "feeds \(feeds)", "blocks \(blocks)", "records \(records)",
      "images \(images)",
    ]
      + findings.map { "finding \($0.split(separator: "\n").joined(separator: " "))" }
  }

  init(environment: String, lines: [String]) {
    self.init(environment: environment)
    for line in lines {
      let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
      guard parts.count == 2 else { continue }
      switch parts[0] {
      case "pages": pages = Int(parts[1]) ?? 0
      case "feeds": feeds = Int(parts[1]) ?? 0
      case "blocks": blocks = Int(parts[1]) ?? 0
      case "records": records = Int(parts[1]) ?? 0
      case "images": images = Int(parts[1]) ?? 0
      default: findings.append(parts[1])
      }
    }
  }
}

/// The operations that `feedcore store check` runs in a child process.
struct StoreChildCommand: ParsableCommand {
  static let name = "child"

  static let configuration = CommandConfiguration(commandName: name, shouldDisplay: false)

  enum Work: String, ExpressibleByArgument {
    case check, quarantine
  }

  @Argument var work: Work
  @Argument var environment: String
  @Argument var directory: String
  @Option var file: String?

  func validate() throws { NumberedChild.note(directory) }

  func run() throws {
    let output = Output.standard()
    switch work {
    case .check:
      let report = try FeedDatabase.check(environment, at: directory)
      for line in report.lines { output.write(line + "\n") }
    case .quarantine:
      let path = try FeedDatabase.quarantine(environment, at: directory, file: file, opening: true)
      output.write(path + "\n")
    }
    try output.finish()
  }
}

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
