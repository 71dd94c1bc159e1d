import ArgumentParser
import FeedCore
import JSONStream

/// `feedcore store backup`
struct StoreBackupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Copy the store while it is in use.",
    discussion: """
      The copy is consistent, is safe from a power cut when the command ends, and is a store itself. \
      It is verified as by store check. The copy of a damaged store is not removed, and the command \
      ends with 65.

      EXAMPLES:
        feedcore store backup backup-today
      """)

  @Argument(
    help: ArgumentHelp(
      "The directory for the copy, which must not contain a store.", valueName: "dir"),
    completion: .directory)
  var target: String

  @OptionGroup var store: StoreOptions

  @Flag(help: "Print the result as one JSON object.")
  var json = false

  func validate() throws { try GivenPath.refuseEmpty([target], "<dir>") }

  func run() throws {
    let target = try GivenPath.directory(target)
    let whole = try store.openWhole()
    let names: [String]
    do throws(StoreError) {
      names = try whole.backUp(to: target)
    } catch {
      throw Failure(error.code == .misuse ? .usage : .failedIO, "\(error)")
    }
    for name in names {
      let report = try StoreChild.check(name, at: target)
      guard report.isSound else {
        let findings = report.findings.joined(separator: "; ")
        throw Failure(
          .badData,
          "\(target)/\(name) was copied from a damaged store and cannot be restored: \(findings)")
      }
    }
    guard json else { return }
    var line = JSONLine()
    line.add("directory", target)
    line.add("environments", names)
    let output = Output.standard()
    output.write(line)
    try output.finish()
  }
}
