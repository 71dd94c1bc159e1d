import ArgumentParser
import FeedCore
import JSONStream

/// `feedcore delete`
struct DeleteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Remove a feed and its records.",
    discussion: """
      EXAMPLES:
        feedcore delete news
      """)

  @Argument(help: ArgumentHelp("The feed.", valueName: "name"), completion: .feedNames)
  var name: String

  @OptionGroup var store: ChangedStoreOptions

  @Flag(help: "Print the result as one JSON object.")
  var json = false

  func run() throws {
    let name = try FeedName(argument: name)
    let database = try store.openExisting()
    guard try database.delete(name) else { throw database.noFeed(named: name) }
    guard json else { return }
    var line = JSONLine()
    line.add("feed", name.text)
    line.add("deleted", true)
    let output = Output.standard()
    output.write(line)
    try output.finish()
  }
}
