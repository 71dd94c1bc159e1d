import ArgumentParser
import FeedCore
import JSONStream

/// `feedcore store restore`
struct StoreRestoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Replace the store by a backup.",
    discussion: """
      The backup is verified first, as by store check. It replaces the feeds, the images, or both, \
      as far as it has them. An ingest in progress fails. Processes that read the store continue \
      with a backup of the same store; with a backup of another store they have to start again.

      EXAMPLES:
        feedcore store restore backup
      """)

  @Argument(
    help: ArgumentHelp("A directory made by store backup.", valueName: "dir"),
    completion: .directory)
  var backup: String

  @OptionGroup var store: ChangedStoreOptions

  @Flag(help: "Print the result as one JSON object.")
  var json = false

  func validate() throws { try GivenPath.refuseEmpty([backup], "<dir>") }

  func run() throws {
    let backup = try GivenPath.directory(backup)
    let directory = try store.directory
    for name in FeedDatabase.environments(at: backup) {
      let report = try StoreChild.check(name, at: backup)
      guard report.isSound else {
        let findings = report.findings.joined(separator: "; ")
        throw Failure(.badData, "\(backup)/\(name) is damaged and was not restored: \(findings)")
      }
    }
    store.location.endOnDamage(directory)
    let names = try FeedDatabase.restore(
      directory, fromVerified: backup, writerTimeout: store.waitTimeout.duration)
    guard json else { return }
    var line = JSONLine()
    line.add("directory", directory)
    line.add("environments", names)
    let output = Output.standard()
    output.write(line)
    try output.finish()
  }
}
