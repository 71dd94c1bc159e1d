import ArgumentParser
import FeedCore

/// `feedcore detail`
struct DetailCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "detail",
    abstract: "Print one record of a feed in full.",
    discussion: """
      The key is the name of universities and characters, the id of feed images and comments, \
      the url of news. If several records have the key, prints the first. Ends with 1 if no \
      record has it.

      EXAMPLES:
        feedcore detail universities "Middle East Technical University"
      """)

  @Argument(help: ArgumentHelp("The feed.", valueName: "name"))
  var name: String

  @Argument(help: ArgumentHelp("The key.", valueName: "key"))
  var key: String

  @OptionGroup var store: StoreOptions

  func run() throws {
    let feed = try store.feed(named: name)
    let schema = feed.schema
    guard let bytes = schema.keyBytes(key) else {
      throw Failure(.noMatch, "\(key): is not a valid \(schema.keyField.name)")
    }
    let output = Output.standard()
    let printer = RecordPrinter(schema, to: output)
    let count = try feed.lookUp(bytes.span.bytes) { record, _ throws(StoreError) in
      try printer.printDetail(record)
      return false
    }
    try output.finish()
    if count == 0 { throw Failure(noRecord: key, schema, in: feed) }
  }
}
