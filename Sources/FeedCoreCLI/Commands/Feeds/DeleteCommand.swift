import ArgumentParser
import FeedCore

/// `feedcore delete`
struct DeleteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Remove a feed and its records.",
    discussion: """
      EXAMPLES:
        feedcore delete news
      """)

  @Argument(help: ArgumentHelp("The feed.", valueName: "name"))
  var name: String

  @OptionGroup var store: ChangedStoreOptions

  func run() throws {
    let name = try FeedName(argument: name)
    let database = try store.openExisting()
    guard try database.delete(name) else {
      throw StoreError(.notFound, "there is no feed named \(name)", path: database.directory)
    }
  }
}
