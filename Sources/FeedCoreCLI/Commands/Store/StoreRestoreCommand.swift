import ArgumentParser
import FeedCore
import JSONStream

/// `feedcore store restore`
struct StoreRestoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Put a backup in place of the store.",
    discussion: """
      The backup is proved first, as by store check. What the store holds of what the backup has, \
      feeds or images, is gone afterwards; an ingest under way fails. Processes that read the store \
      go on with a backup of the same one; with that of another they have to begin again.
      """)

  @Argument(
    help: ArgumentHelp("A directory that store backup has made.", valueName: "dir"),
    completion: .directory)
  var backup: String

  @OptionGroup var store: StoreOptions

  @Flag(help: "Print what was restored as one JSON object.")
  var json = false

  func validate() throws { try GivenPath.refuseEmpty([backup], "<dir>") }

  func run() throws {
    let directory = try store.directory
    for name in FeedDatabase.environments(at: backup) {
      let report = try StoreChild.check(name, at: backup)
      guard report.isSound else {
        let findings = report.findings.joined(separator: "; ")
        throw Failure(.badData, "\(backup)/\(name) is damaged and was not restored: \(findings)")
      }
    }
    store.endOnDamage(directory)
    let names = try FeedDatabase.restore(directory, fromProved: backup)
    guard json else { return }
    var line = JSONLine()
    line.add("directory", directory)
    line.add("environments", names)
    let output = Output.standard()
    output.write(line)
    try output.finish()
  }
}
