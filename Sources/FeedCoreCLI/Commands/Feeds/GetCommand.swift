import ArgumentParser
import FeedCore

/// `feedcore get`
struct GetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get",
    abstract: "Print the records of a feed that have a key.",
    discussion: """
      The key is the name of universities and characters, the id of feed images and comments, \
      the url of news. Documents have the key that their ingest reported; a composed key has \
      several arguments, and a record without a key is found by its position, as in '#12'. \
      A document is printed as it came, on one line. If the last argument begins with a slash, it \
      is a JSON Pointer (RFC 6901), and only that value is printed. Ends with 1 if there is no \
      such record or value.

      EXAMPLES:
        feedcore get universities "Middle East Technical University"
        feedcore get universities "Stanford University" --json | jq .domains
        feedcore get universities "Stanford University" /web_pages/0
        feedcore get universities --at 0 /name
        # Exit code 1, because no record has the key:
        feedcore get universities Nowhere
      """)

  @Argument(help: ArgumentHelp("The feed.", valueName: "name"), completion: .feedNames)
  var name: String

  @Argument(
    help: ArgumentHelp("The key, or its parts, and then a JSON Pointer.", valueName: "key"))
  var keys: [String] = []

  @OptionGroup var store: StoreOptions

  @Flag(
    help: "Print all documents with the key, instead of the first. Other records are all printed.")
  var all = false

  @Option(
    help: ArgumentHelp("The position of the record, from 0, instead of a key.", valueName: "n"))
  var at: Int?

  @Flag(help: "Print each record as one line of JSON.")
  var json = false

  func validate() throws { _ = try RecordSelection(keys, at: at) }

  func run() throws {
    let selection = try RecordSelection(keys, at: at)
    let feed = try store.feed(named: name)
    let output = Output.standard()
    let printer = RecordPrinter(feed.schema, to: output)
    let isDocument = feed.schema.document != nil
    var printed = 0
    try selection.forEach(in: feed) { record throws(StoreError) in
      if let path = selection.path {
        var value: [UInt8] = []
        guard try feed.appendValue(at: path, of: record, to: &value) else {
          return all || !isDocument
        }
        output.write(value)
        output.write("\n")
      } else if json || isDocument {
        try printer.printJSON(record)
        output.write("\n")
      } else {
        if printed > 0 { output.write("\n") }
        try printer.printBlock(record)
      }
      printed += 1
      return output.isWritable && (all || !isDocument)
    }
    try output.finish()
    if printed == 0, let path = selection.path {
      throw Failure(.noMatch, "\(path.text): the record has no such value")
    }
  }
}
