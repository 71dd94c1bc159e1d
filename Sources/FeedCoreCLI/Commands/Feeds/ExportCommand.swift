import ArgumentParser
import FeedCore

/// `feedcore export`
struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write a feed as a payload.",
    discussion: """
      By default the output has the form of the ingested document, with the text around its \
      records. Documents keep every value, literal, key and their order, but not the white space \
      between them. Records of a contract have the fields of the contract. An export of an export \
      has the same bytes.

      EXAMPLES:
        feedcore export universities --output copy.json
        feedcore export universities --format ndjson | gzip >universities.ndjson.gz
      """)

  @Argument(help: ArgumentHelp("The feed.", valueName: "name"))
  var name: String

  @OptionGroup var store: StoreOptions

  @Option(
    help: ArgumentHelp(
      "The file to write, as a whole or not at all. By default standard output.",
      valueName: "file"),
    completion: .file())
  var output: String?

  @Option(
    help: ArgumentHelp(
      "The format. By default that of the ingested document.", valueName: "format"))
  var format: ExportFormat?

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
    guard feed.description.hasFieldNames else {
      throw Failure(
        .usage,
        "\(name): the feed holds \(feed.description.kind) without a schema, so the names of its"
          + " fields are not known; ingest it again, or show it")
    }
    let schema = feed.schema
    let printer = RecordPrinter(schema, to: output)
    let form: FeedFrame.Form =
      switch format {
      case nil: schema.document == nil ? .json : .source
      case .json: .json
      case .ndjson: .lines
      }
    let frame = FeedFrame(feed.description, form)
    try frame.forEachPart(of: feed, isAfterRecords: false) { output.write($0) }
    var isEmpty = true
    try feed.scan { record, _ throws(StoreError) in
      if !isEmpty || frame.beginsWithSeparator {
        output.write(frame.separator)
      } else if frame.breaksAfterOpening {
        output.write("\n")
      }
      isEmpty = false
      try output.append { buffer throws(StoreError) in
        try frame.appendStart(of: record, to: &buffer)
      }
      try printer.printJSON(record)
      return output.isWritable && !Interruption.isRequested
    }
    if Interruption.isRequested { throw Failure.interrupted }
    if !isEmpty { output.write(frame.end) }
    try frame.forEachPart(of: feed, isAfterRecords: true) { output.write($0) }
    try output.finish()
  }
}
