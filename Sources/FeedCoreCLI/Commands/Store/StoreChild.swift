import FeedCore
import FeedStorage

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Work on a store that may be damaged, done by a process that may be ended by it.
enum StoreChild {
  /// Checks an environment. A child that is ended by what it has read is a finding.
  static func check(_ name: String, at directory: String) throws(Failure) -> StoreCheckReport {
    let child = try ChildProcess(["store", StoreChildCommand.name, "check", "--", name, directory])
    let lines = child.lines
    switch child.ending {
    case .exit(0):
      return StoreCheckReport(environment: name, lines: lines)
    case .exit(let status):
      // It has said why.
      throw Failure(ExitStatus(rawValue: status) ?? .failedIO)
    case .signal(let signal):
      guard let signal = damageSignals[signal] else { throw ended(name, directory, signal) }
      var report = StoreCheckReport(environment: name)
      report.findings = ["reading it ended a process by \(signal)"]
      return report
    }
  }

  /// Moves an environment aside whose file is the one that was checked, and tells where it is.
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
      // Too damaged to be opened: nobody can be told, and the name is what counts.
      return try FeedDatabase.quarantine(name, at: directory, file: file, opening: false)
    } catch {
      throw Failure(error)
    }
  }

  /// Those by which reading ends where what is read is damaged. All others come from outside.
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
  /// The report as lines of a child's output: a word and what it tells.
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
