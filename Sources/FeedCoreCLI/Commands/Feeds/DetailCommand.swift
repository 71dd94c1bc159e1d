import ArgumentParser
import FeedCore

/// `feedcore detail`
struct DetailCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "detail",
    abstract: "Print one record of a feed in full.",
    discussion: """
      The key is the name of universities and characters, the id of feed images and comments, \
      the url of news, and that of documents as for get. If several records have the key, prints \
      the first. A document has a line for each value, with its path. Ends with 1 if no record \
      has the key.

      EXAMPLES:
        feedcore detail universities "Middle East Technical University"
      """)

  @Argument(help: ArgumentHelp("The feed.", valueName: "name"), completion: .feedNames)
  var name: String

  @Argument(help: ArgumentHelp("The key, or its parts.", valueName: "key"))
  var keys: [String] = []

  @OptionGroup var store: StoreOptions

  @Flag(help: "Print the record as one line of JSON.")
  var json = false

  func validate() throws { _ = try RecordSelection(key: keys) }

  func run() throws {
    let feed = try store.feed(named: name)
    let output = Output.standard()
    let printer = RecordPrinter(feed.schema, to: output)
    let isDocument = feed.schema.document != nil
    try RecordSelection(key: keys).forEach(in: feed) { record throws(StoreError) in
      if json {
        try printer.printJSON(record)
        output.write("\n")
      } else if isDocument {
        try feed.withJSON(of: record) { text throws(StoreError) in
          DocumentLines(text).print(to: output)
        }
      } else {
        try printer.printDetail(record)
      }
      return false
    }
    try output.finish()
  }
}
