import ArgumentParser
import FeedCore

/// `feedcore get`
struct GetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get",
    abstract: "Print every record of a feed that has a key.",
    discussion: """
      The key is the name of universities and characters, the id of feed images and comments, \
      the url of news. Ends with 1 if no record has it.

      EXAMPLES:
        feedcore get universities "Middle East Technical University"
        feedcore get universities "Stanford University" --json | jq .domains
        # Exit code 1, because no record has the key:
        feedcore get universities Nowhere
      """)

  @Argument(help: ArgumentHelp("The feed.", valueName: "name"))
  var name: String

  @Argument(help: ArgumentHelp("The key.", valueName: "key"))
  var key: String

  @OptionGroup var store: StoreOptions

  @Flag(help: "Print each record as one line of JSON.")
  var json = false

  func run() throws {
    let feed = try store.feed(named: name)
    let schema = feed.schema
    guard let bytes = schema.keyBytes(key) else {
      throw Failure(.noMatch, "\(key): is not a valid \(schema.keyField.name)")
    }
    let output = Output.standard()
    let printer = RecordPrinter(schema, to: output)
    var isFirst = true
    let count = try feed.lookUp(bytes.span.bytes) { record, _ throws(StoreError) in
      if json {
        try printer.printJSON(record)
        output.write("\n")
      } else {
        if !isFirst { output.write("\n") }
        try printer.printBlock(record)
      }
      isFirst = false
      return output.isWritable
    }
    try output.finish()
    if count == 0 { throw Failure(noRecord: key, schema, in: feed) }
  }
}
