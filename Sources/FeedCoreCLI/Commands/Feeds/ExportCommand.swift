import ArgumentParser
import FeedCore

/// `feedcore export`
struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write a feed as a payload.",
    discussion: """
      By default the output has the form of the ingested document, with the text around its \
      records. CSV follows RFC 4180: objects and arrays are JSON, and an empty string is in quotes, \
      unlike null. Documents keep every value, literal, key and their order, but not the white space \
      between them. Records of a contract have the fields of the contract. An export of an export \
      has the same bytes.

      EXAMPLES:
        feedcore export universities --output copy.json
        feedcore export universities --format ndjson | gzip >universities.ndjson.gz
        feedcore export universities --format csv --fields name,country >list.csv
        feedcore export universities --format ndjson --where country=Brazil
      """)

  @Argument(help: ArgumentHelp("The feed.", valueName: "name"), completion: .feedNames)
  var name: String

  @OptionGroup var store: StoreOptions

  @Option(
    help: ArgumentHelp(
      "The file to write, as a whole or not at all. By default standard output.",
      valueName: "file"),
    completion: .file())
  var output: String?

  @OptionGroup var query: QueryOptions

  @Option(
    help: ArgumentHelp(
      "The text for null and for a missing value in CSV and TSV.", valueName: "text"))
  var null = ""

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
    do {
      try writeRecords(of: feed, to: output)
    } catch let error as QueryError {
      throw Failure(error, in: query.conditions)
    } catch let error as StoreError where error.code == .cancelled {
      throw Failure.interrupted
    }
    if Interruption.isRequested { throw Failure.interrupted }
    try output.finish()
  }

  private func writeRecords(of feed: Feed, to output: Output) throws {
    let compiled = try CompiledQuery(FeedQuery(where: query.conditions), for: feed)
    let fields = try query.selectedFields(of: feed)
    AbsentKey(in: compiled.negatedPaths + (fields?.paths ?? []), of: feed.description)?.warn()
    let limits = QueryLimits { Interruption.isRequested }
    _ = try feed.writeText(of: compiled, as: form(of: feed, fields), limits) { text in
      output.write(text)
      return output.isWritable
    }
  }

  private func form(of feed: Feed, _ fields: QueryFields?) throws -> RecordTextForm {
    switch format {
    case .csv, .tsv:
      .delimited(
        DelimitedText(
          format == .csv ? .commas : .tabs, try fields ?? feed.allColumns(), null: null))
    case .ndjson: .document(FeedFrame(feed.description, .lines), fields)
    case nil where feed.schema.document != nil:
      .document(FeedFrame(feed.description, .source), fields)
    case nil, .json: .document(FeedFrame(feed.description, .json), fields)
    }
  }
}
