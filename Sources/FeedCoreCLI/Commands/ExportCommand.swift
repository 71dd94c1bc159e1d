import ArgumentParser
import FeedCore

/// `feedcore export`
struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write a feed as its payload again.",
    discussion: """
      With --format json the records stand where they stood in the payload, with what stood \
      beside them. A record has the fields of its contract: others are not kept by an ingest. An \
      export of an export is the same to the byte.
      """)

  @Argument(help: ArgumentHelp("The feed.", valueName: "name"))
  var name: String

  @OptionGroup var store: StoreOptions

  @Option(
    help: ArgumentHelp(
      "The file to write, which appears whole or not at all. By default standard output.",
      valueName: "file"),
    completion: .file())
  var output: String?

  @Option(help: ArgumentHelp("How to write it.", valueName: "format"))
  var format = ExportFormat.json

  func validate() throws { try GivenPath.refuseEmpty([output], "--output") }

  func run() throws {
    let feed = try store.feed(named: name)
    guard let path = output, path != "-" else { return try write(feed, to: Output.standard()) }
    if let special = try SpecialFile(path) { return try write(feed, to: special.output) }
    Interruption.install()
    let file = try OutputFile(path)
    try write(feed, to: file.output)
    try file.publish()
  }

  private func write(_ feed: Feed, to output: Output) throws {
    let schema = try feed.schema
    let printer = RecordPrinter(schema, to: output)
    let frame = PayloadFrame(feed.description, schema, format)
    output.write(frame.opening)
    var isEmpty = true
    try readingStore { () throws(StoreError) in
      try feed.scan { record, _ throws(StoreError) in
        if !isEmpty || format == .json {
          output.write(isEmpty ? "\n" : format == .json ? ",\n" : "\n")
        }
        isEmpty = false
        try printer.printJSON(record)
        return output.isWritable && !Interruption.isRequested
      }
    }
    if Interruption.isRequested { throw Failure.interrupted }
    if !isEmpty { output.write("\n") }
    output.write(frame.closing)
    try output.finish()
  }
}
