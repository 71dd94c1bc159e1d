import ArgumentParser
import FeedCore
import FeedStorage

/// `feedcore schema show`
struct SchemaShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Print the schema of a feed.",
    discussion: """
      Each feed has its schema in the store: the paths, types and numbers of its fields, its key, \
      and where the records are in the payload. As JSON it is JSON Schema 2020-12 with the \
      annotation x-feedcore. On a terminal it is a table unless --json is given. That of \
      documents lists every path with the types of its values, the part of the records that have \
      it, and its range or choices.

      EXAMPLES:
        feedcore schema show universities --table
        feedcore schema show universities --json | jq -r '.properties | keys[]'
      """)

  @Argument(help: ArgumentHelp("The feed.", valueName: "name"), completion: .feedNames)
  var name: String

  @OptionGroup var store: StoreOptions

  @Flag(help: "Print JSON Schema, which is the default unless the output is a terminal.")
  var json = false

  @Flag(help: "Print a table with a row for each field or path.")
  var table = false

  func validate() throws {
    guard !json || !table else { throw ValidationError("--json and --table exclude each other") }
  }

  func run() throws {
    let feed = try store.feed(named: name)
    let output = Output.standard()
    if table || !json && StandardStreams.columns != nil {
      if feed.schema.document == nil {
        printTable(feed, to: output)
      } else {
        try printDocumentTable(feed, to: output)
      }
    } else {
      output.write(feed.description.schemaText + [0x0A])
    }
    try output.finish()
  }

  private func printDocumentTable(_ feed: Feed, to output: Output) throws {
    var reader = DocumentSchemaReader()
    _ = try reader.schema(storedText: feed.description.schemaText.span.bytes)
    DocumentSchemaTable(reader.statistics).print(to: output)
  }

  private func printTable(_ feed: Feed, to output: Output) {
    let rows = TextTable(
      [("field", .left), ("type", .left), ("presence", .left), ("id", .right), ("use", .left)],
      columns: StandardStreams.columns, output: output)
    let (schema, description) = (feed.schema, feed.description)
    for field in schema.fields {
      var uses: [String] = []
      if field.id == description.keyField { uses.append("key") }
      if description.indexedFields.contains(field.id) { uses.append("index") }
      if field.isImage { uses.append("image") }
      rows.add([
        field.name, field.kind.typeName, field.isRequired ? "required" : "optional",
        "\(field.id)", uses.joined(separator: ", "),
      ])
    }
    rows.finish()
  }
}

extension PayloadSchema.Kind {
  /// The type of the value, as a table for people names it.
  fileprivate var typeName: String {
    switch self {
    case .text: "text"
    case .url: "URL"
    case .uuid: "UUID"
    case .date: "date"
    case .integer: "integer"
    case .number: "number"
    case .boolean: "boolean"
    case .textList: "list of texts"
    case .json: "any value"
    }
  }
}
