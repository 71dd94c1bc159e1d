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
      guard let place = child.lines.first else { throw Failure(.failedIO) }
      return place
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
      "\(directory)/\(name): the process that reads it was ended by signal \(signal), which says"
        + " nothing of the store; try again")
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
