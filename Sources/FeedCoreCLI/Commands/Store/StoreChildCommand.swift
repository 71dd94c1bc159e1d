import ArgumentParser
import FeedCore
import FeedStorage

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

  func run() throws {
    let output = Output.standard()
    do throws(StoreError) {
      switch work {
      case .check:
        let report = try FeedDatabase.check(environment, at: directory)
        for line in report.lines { output.write(line + "\n") }
      case .quarantine:
        let place = try FeedDatabase.quarantine(
          environment, at: directory, file: file, opening: true)
        output.write(place + "\n")
      }
    } catch {
      throw Failure(error)
    }
    try output.finish()
  }
}
