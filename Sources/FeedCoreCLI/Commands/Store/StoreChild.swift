import FeedCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Work on a store that may be damaged, done by a process that may be ended by it.
enum StoreChild {
  /// Checks an environment. A child that is ended by a signal is a finding.
  static func check(_ name: String, at directory: String) throws(Failure) -> StoreCheckReport {
    let child = try ChildProcess(["store", StoreChildCommand.name, "check", name, directory])
    let lines = child.lines
    switch child.ending {
    case .exit(0):
      return StoreCheckReport(environment: name, lines: lines)
    case .exit(let status):
      // It has said why.
      throw Failure(ExitStatus(rawValue: status) ?? .failedIO)
    case .signal(let signal):
      var report = StoreCheckReport(environment: name)
      report.findings = ["reading it ended a process by \(Self.name(of: signal))"]
      return report
    }
  }

  /// Moves an environment aside, and tells where it is.
  static func quarantine(_ name: String, at directory: String) throws(Failure) -> String {
    let child = try ChildProcess(["store", StoreChildCommand.name, "quarantine", name, directory])
    if case .exit(0) = child.ending, let place = child.lines.first { return place }
    do throws(StoreError) {
      // Too damaged to be opened: nobody can be told, and the name is what counts.
      return try FeedDatabase.quarantine(name, at: directory, opening: false)
    } catch {
      throw Failure(error)
    }
  }

  private static func name(of signal: CInt) -> String {
    switch signal {
    case SIGSEGV: "SIGSEGV"
    case SIGBUS: "SIGBUS"
    case SIGABRT: "SIGABRT"
    default: "signal \(signal)"
    }
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
