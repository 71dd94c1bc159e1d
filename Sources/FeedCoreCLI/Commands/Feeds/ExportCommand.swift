import ArgumentParser
import FeedCore
import JSONStream

/// `feedcore export`
struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write a feed as a payload.",
    discussion: """
      With --format json the output has the payload's envelope around the records. A record has \
      the fields of its contract; an ingest drops all others. An export of an export has the same \
      bytes.

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

  @Option(help: ArgumentHelp("The format.", valueName: "format"))
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
    guard feed.description.hasFieldNames else {
      throw Failure(
        .usage,
        "\(name): the feed holds \(feed.description.kind) without a schema, so the names of its"
          + " fields are not known; ingest it again, or show it")
    }
    let schema = feed.schema
    let printer = RecordPrinter(schema, to: output)
    let frame = PayloadFrame(feed.description, schema, format)
    output.write(frame.opening)
    var isEmpty = true
    try feed.scan { record, _ throws(StoreError) in
      if !isEmpty || format == .json {
        output.write(isEmpty ? "\n" : format == .json ? ",\n" : "\n")
      }
      isEmpty = false
      try printer.printJSON(record)
      return output.isWritable && !Interruption.isRequested
    }
    if Interruption.isRequested { throw Failure.interrupted }
    if !isEmpty { output.write("\n") }
    output.write(frame.closing)
    try output.finish()
  }
}

/// The text before and after the records in an export.
struct PayloadFrame {
  let opening: [UInt8]
  let closing: [UInt8]

  /// The payload's own envelope if it had one, else the minimal form of the contract.
  init(_ feed: FeedDescription, _ schema: PayloadSchema, _ format: ExportFormat) {
    switch format {
    case .ndjson:
      opening = []
      closing = []
    case .json:
      let line: [UInt8] = [0x0A]
      if !feed.envelope.isEmpty, feed.envelope.indices.contains(feed.envelopeInsertion) {
        opening = Array(feed.envelope[..<feed.envelopeInsertion])
        closing = feed.envelope[feed.envelopeInsertion...] + line
      } else if let key = schema.recordKey {
        var start: [UInt8] = [0x7B]
        JSONText.appendString(key, to: &start)
        opening = start + [0x3A, 0x5B]
        closing = [0x5D, 0x7D] + line
      } else {
        opening = [0x5B]
        closing = [0x5D] + line
      }
    }
  }
}
