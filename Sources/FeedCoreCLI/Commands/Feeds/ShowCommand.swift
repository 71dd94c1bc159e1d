import ArgumentParser
import FeedCore

/// `feedcore show`
struct ShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Print records of a feed.",
    discussion: """
      With --where a list field matches if one of its elements does. --offset and --limit then \
      count the matching records. An indexed field (ingest --index) is looked up; without one all \
      records are read.

      EXAMPLES:
        feedcore show universities --limit 5
        feedcore show universities --where country=Brazil
        feedcore show universities --format ndjson | jq -r .name
      """)

  @Argument(help: ArgumentHelp("The feed.", valueName: "name"))
  var name: String

  @OptionGroup var store: StoreOptions

  @Option(help: ArgumentHelp("The maximum number of records to print.", valueName: "n"))
  var limit = 20

  @Option(help: ArgumentHelp("The number of records to skip first.", valueName: "n"))
  var offset = 0

  @Option(
    name: .customLong("where"),
    help: ArgumentHelp(
      "Only records with this value in this field. May be given several times.",
      valueName: "field=value"))
  var conditions: [FieldCondition] = []

  @Option(help: ArgumentHelp("The format.", valueName: "format"))
  var format = ShowFormat.table

  func validate() throws {
    guard limit >= 0, offset >= 0 else {
      throw ValidationError("--limit and --offset take no negative numbers")
    }
  }

  func run() throws {
    let feed = try store.feed(named: name)
    let schema = feed.schema
    let output = Output.standard()
    let printer = RecordPrinter(schema, to: output)
    switch format {
    case .table where schema.document != nil: try printDocuments(feed, schema, output)
    case .table: try printTable(feed, schema, printer)
    case .json: try printArray(feed, schema, printer)
    case .ndjson:
      try forEachSelected(feed, schema, output) { record, _ throws(StoreError) in
        try printer.printJSON(record)
        output.write("\n")
      }
    }
    try output.finish()
  }

  private func printTable(
    _ feed: Feed, _ schema: PayloadSchema, _ printer: RecordPrinter
  ) throws {
    let titles = schema.fields.map { field in
      (field.name, field.kind == .integer || field.kind == .number ? .right : .left)
        as (String, TextTable.Alignment)
    }
    let table = TextTable(titles, columns: StandardStreams.columns, output: printer.output)
    try forEachSelected(feed, schema, printer.output) { record, _ throws(StoreError) in
      table.add(try printer.cells(record).map { $0 ?? "" })
    }
    table.finish()
  }

  /// A table of the scalars that most documents have.
  private func printDocuments(
    _ feed: Feed, _ schema: PayloadSchema, _ output: Output
  ) throws {
    let columns = try feed.documentColumns()
    let keyTitle = feed.keyTitle(besides: columns)
    let titles =
      (keyTitle.map { [($0, TextTable.Alignment.left)] } ?? [])
      + columns.columns.map { ($0.title, $0.isNumber ? .right : .left) }
    let table = TextTable(titles, columns: StandardStreams.columns, output: output)
    try forEachSelected(feed, schema, output) { record, position throws(StoreError) in
      let key = keyTitle == nil ? [] : [try feed.keyText(of: record, at: position) ?? ""]
      table.add(key + (try feed.cells(of: record, in: columns)).map { $0 ?? "" })
    }
    table.finish()
  }

  private func printArray(
    _ feed: Feed, _ schema: PayloadSchema, _ printer: RecordPrinter
  ) throws {
    var isEmpty = true
    printer.output.write("[")
    try forEachSelected(feed, schema, printer.output) { record, _ throws(StoreError) in
      printer.output.write(isEmpty ? "\n" : ",\n")
      isEmpty = false
      try printer.printJSON(record)
    }
    printer.output.write(isEmpty ? "]\n" : "\n]\n")
  }

  private func forEachSelected(
    _ feed: Feed, _ schema: PayloadSchema, _ output: Output,
    _ body: (RecordView, Int) throws(StoreError) -> Void
  ) throws {
    var wanted: [(field: PayloadSchema.Field, value: String)] = []
    for condition in conditions {
      wanted.append((try condition.field(in: schema), condition.value))
    }
    var left = limit
    var toSkip = wanted.isEmpty ? 0 : offset
    guard left > 0 else { return }
    try forEachCandidate(feed, schema, wanted) { record, position throws(StoreError) in
      for (field, value) in wanted {
        guard try Self.matches(record, field, value, schema) else { return true }
      }
      if toSkip > 0 {
        toSkip -= 1
        return true
      }
      try body(record, position)
      left -= 1
      return left > 0 && output.isWritable
    }
  }

  /// The records that an index finds for one of the conditions; all if none is indexed.
  private func forEachCandidate(
    _ feed: Feed, _ schema: PayloadSchema,
    _ wanted: [(field: PayloadSchema.Field, value: String)],
    _ body: (RecordView, Int) throws(StoreError) -> Bool
  ) throws(StoreError) {
    let indexed = feed.description.indexedFields + [feed.description.keyField]
    for (field, value) in wanted where indexed.contains(field.id) {
      // No record has a value that the field cannot have.
      guard let bytes = schema.indexBytes(value, of: field) else { return }
      _ = try feed.lookUp(bytes.span.bytes, field: field.id, body)
      return
    }
    try feed.scan(from: wanted.isEmpty ? offset : 0, body)
  }

  private static func matches(
    _ record: borrowing RecordView, _ field: PayloadSchema.Field, _ value: String,
    _ schema: PayloadSchema
  ) throws(StoreError) -> Bool {
    do throws(RecordError) {
      return try schema.matches(field, value, in: record)
    } catch {
      throw StoreError(error)
    }
  }
}

/// The value of `--where`: a field and its required text.
struct FieldCondition: ExpressibleByArgument {
  let fieldName: String
  let value: String

  init?(argument: String) {
    // Searches scalars: the sign and a following combining accent are one `Character`.
    let scalars = argument.unicodeScalars
    guard let equals = scalars.firstIndex(of: "="), equals > scalars.startIndex else { return nil }
    fieldName = String(scalars[..<equals])
    value = String(scalars[scalars.index(after: equals)...])
  }

  /// The field in a schema.
  func field(in schema: PayloadSchema) throws(Failure) -> PayloadSchema.Field {
    guard let field = schema.field(named: fieldName) else {
      let names = schema.fields.map(\.name).filter { !$0.isEmpty }.joined(separator: ", ")
      throw Failure(
        .usage, "\(schema.name) have no field \(fieldName); their fields are \(names)")
    }
    return field
  }
}
