import ArgumentParser
import FeedCore
import FeedSchema

/// `feedcore schema infer`
struct SchemaInferCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "infer", abstract: "Print the schema of JSON files, and store nothing.",
    discussion: """
      All records of the files are read, so the types and counts are exact. The schema is JSON \
      Schema 2020-12 with the annotation x-feedcore. On a terminal it is a table unless --json is \
      given.

      EXAMPLES:
        feedcore schema infer events.ndjson --table
        feedcore schema infer dump.json --records /data/users --json
      """)

  @Argument(
    help: ArgumentHelp(
      "JSON files, also compressed by gzip or zstd; - is standard input.", valueName: "file"),
    completion: .file())
  var files: [String]

  @Option(
    help: ArgumentHelp(
      "Where the records are, as a JSON Pointer. By default they are found.",
      valueName: "pointer"))
  var records: String?

  @Flag(help: "The document is one record.")
  var single = false

  @Flag(help: "Print JSON Schema, which is the default unless the output is a terminal.")
  var json = false

  @Flag(help: "Print a table with a row for each path.")
  var table = false

  @OptionGroup(title: "Parsing") var parsing: ParsingOptions

  func validate() throws {
    try GivenPath.refuseEmpty(files, "<file>")
    try GivenPath.refuseRepeatedInput(files)
    guard !json || !table else { throw ValidationError("--json and --table exclude each other") }
  }

  func run() throws {
    var reading = DocumentReading()
    reading.records = records
    reading.isSingle = single
    Interruption.install()
    let inference: SchemaInference
    do {
      inference = try SchemaInference(
        from: files, reading, options: parsing.options, isCancelled: { Interruption.isRequested })
    } catch {
      if Interruption.isRequested { throw Failure.interrupted }
      throw Failure(error)
    }
    let output = Output.standard()
    if table || !json && StandardStreams.columns != nil {
      DocumentSchemaTable(inference.statistics).print(to: output)
    } else {
      output.write(inference.text + [0x0A])
    }
    try output.finish()
  }
}
