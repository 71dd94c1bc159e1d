import FeedCore
import FeedTools
import JSONStream

/// Prints what a query finds in one of the formats.
struct QueryPrinter {
  private let feed: Feed
  private let query: CompiledQuery
  /// The conditions as they were written.
  private let conditions: [String]
  private let fields: QueryFields?
  private let format: ShowFormat
  private let output = Output.standard()
  private let limits: QueryLimits

  init(
    _ feed: Feed, _ query: CompiledQuery, _ conditions: [String], _ fields: QueryFields?,
    _ format: ShowFormat
  ) {
    self.feed = feed
    self.conditions = conditions
    self.query = query
    self.fields = fields
    self.format = format
    limits = QueryLimits(threads: JSONOptions().lanes)
  }

  // MARK: Records

  func printRecords() throws {
    let count =
      switch format {
      case .table: try printTable()
      case .vertical: try printBlocks()
      case .json: try printText(.document(FeedFrame(feed.description, .array), fields))
      case .ndjson: try printText(.document(FeedFrame(feed.description, .lines), fields))
      case .csv, .tsv:
        try printText(
          .delimited(
            DelimitedText(format == .csv ? .commas : .tabs, try fields ?? feed.allColumns())))
      }
    try output.finish()
    if count == 0 {
      reportNothing(query.conditions.isEmpty ? "there are no records here" : "no record matches")
    } else {
      AbsentKey(
        in: query.negatedPaths + query.sort.map(\.path) + (fields?.paths ?? []),
        of: feed.description)?.warn()
    }
  }

  /// Returns the number of records.
  private func printText(_ form: RecordTextForm) throws(StoreError) -> Int {
    try feed.writeText(of: query, as: form, limits) { text in
      output.write(text)
      return output.isWritable
    }
  }

  /// The path of each value on its own line, and an empty line between records.
  private func printBlocks() throws(StoreError) -> Int {
    var count = 0
    try feed.forEachMatch(of: query, limits) { _, _, text throws(StoreError) in
      if count > 0 { output.write("\n") }
      count += 1
      if let fields {
        var object: [UInt8] = []
        fields.appendObject(of: text, to: &object)
        DocumentLines(object.span.bytes).print(to: output)
      } else {
        DocumentLines(text).print(to: output)
      }
      return output.isWritable && !Interruption.isRequested
    }
    return count
  }

  // MARK: Tables

  private func printTable() throws -> Int {
    let shape = try TableShape(feed, fields, to: output)
    let table = TextTable(shape.titles, columns: StandardStreams.columns, output: output)
    var count = 0
    try feed.forEachMatch(of: query, limits) { record, position, text throws(StoreError) in
      table.add(try shape.cells(feed, record, position, text))
      count += 1
      return output.isWritable && !Interruption.isRequested
    }
    guard count > 0 else { return count }
    table.finish()
    if StandardStreams.isOutputTerminal { printFooter(count, shape) }
    return count
  }

  /// Prints how much of the feed the table shows.
  private func printFooter(_ count: Int, _ shape: TableShape) {
    let total = feed.description.recordCount
    var parts = ["\(ReadableNumber.grouped(count)) of \(ReadableNumber.grouped(total)) records"]
    if let known = shape.hiddenColumns, known > 0 {
      parts.append("\(shape.titles.count + known) columns, \(shape.titles.count) shown")
    }
    output.write("\n" + TerminalStyle.faint(parts.joined(separator: "; ")) + "\n")
  }

  /// Reports on standard error that nothing was found. The reason is printed only in the formats
  /// for people. A hint is printed in every format if no record has a key of a path, or if a
  /// condition may not mean what was intended.
  private func reportNothing(_ reason: String?, distinct: [JSONPath] = []) {
    let isForPeople = format == .table || format == .vertical
    let key = AbsentKey(in: query.conditions.map(\.path) + distinct, of: feed.description)?.text
    let hint = key ?? ConditionHint(on: conditions)?.text
    let parts = [isForPeople ? reason : nil, hint].compactMap(\.self)
    guard !parts.isEmpty else { return }
    StandardStreams.complain("\(feed.description.name): \(parts.joined(separator: "; "))")
  }

  // MARK: Summaries

  func printCount() throws {
    let count = try feed.count(of: query, limits)
    if format == .json || format == .ndjson {
      var line = JSONLine()
      line.add("count", count)
      line.add("explain", query.plan.text)
      output.write(line.text)
      output.write("\n")
    } else {
      output.write("\(count)\n")
    }
    try output.finish()
    if count == 0 {
      reportNothing(nil)
    } else {
      AbsentKey(in: query.negatedPaths, of: feed.description)?.warn()
    }
  }

  func printDistinct(_ text: String) throws {
    let path = try JSONPath(query: text)
    try feed.checkField(of: path)
    let values = try feed.distinctValues(path, of: query, limits).ranked()
    let shown = values.dropFirst(query.offset).prefix(query.limit ?? .max)
    switch format {
    case .json, .ndjson:
      if format == .json { output.write("[") }
      for (index, value) in shown.enumerated() {
        if format == .json { output.write(index == 0 ? "\n" : ",\n") }
        output.append { value.appendJSON(to: &$0) }
        if format == .ndjson { output.write("\n") }
      }
      if format == .json { output.write(shown.isEmpty ? "]\n" : "\n]\n") }
    case .csv, .tsv:
      let form: DelimitedText.Form = format == .csv ? .commas : .tabs
      let lines = DelimitedText(form, QueryFields([]))
      output.append { lines.appendLine([Array(text.utf8), Array("count".utf8)], to: &$0) }
      for value in shown {
        let cell = Feed.text(ofValue: value.text.span.bytes)
        output.append {
          lines.appendLine([cell.map { Array($0.utf8) }, Array("\(value.count)".utf8)], to: &$0)
        }
      }
    case .table, .vertical:
      let table = TextTable(
        [(text, .left), ("count", .right)], columns: StandardStreams.columns, output: output)
      for value in shown {
        table.add([Feed.text(ofValue: value.text.span.bytes) ?? "null", "\(value.count)"])
      }
      if !shown.isEmpty { table.finish() }
    }
    try output.finish()
    if shown.isEmpty {
      reportNothing(
        query.conditions.isEmpty ? "there are no values here" : "no record matches",
        distinct: [path])
    }
  }
}

/// The columns of a table of records.
private struct TableShape {
  let titles: [(String, TextTable.Alignment)]
  /// The number of columns that the table leaves out; nil if that is not known.
  let hiddenColumns: Int?
  private let fields: QueryFields
  private let hasKey: Bool
  /// Writes the fields of a contract.
  private var printer: RecordPrinter?

  init(_ feed: Feed, _ chosen: QueryFields?, to output: Output) throws {
    if let chosen {
      fields = chosen
      titles = chosen.columns.map { ($0.name, .left) }
      (hiddenColumns, hasKey) = (0, false)
    } else if feed.schema.document == nil {
      fields = QueryFields([])
      printer = RecordPrinter(feed.schema, to: output)
      titles = feed.schema.fields.map { field in
        (field.name, field.kind == .integer || field.kind == .number ? .right : .left)
      }
      (hiddenColumns, hasKey) = (0, false)
    } else {
      // The scalars that most documents have.
      let columns = try feed.documentColumns()
      let keyTitle = feed.keyTitle(besides: columns)
      fields = QueryFields(columns.columns.map { .init($0.title, $0.path) })
      titles =
        (keyTitle.map { [($0, TextTable.Alignment.left)] } ?? [])
        + columns.columns.map { ($0.title, $0.isNumber ? .right : .left) }
      hasKey = keyTitle != nil
      let all = try? feed.allColumns().columns.count
      let top = fields.columns.count { $0.path.steps.count == 1 }
      hiddenColumns = all.map { max($0 - top, 0) }
    }
  }

  func cells(
    _ feed: Feed, _ record: borrowing RecordView, _ position: Int, _ text: RawSpan
  ) throws(StoreError) -> [String] {
    if let printer { return try printer.cells(record).map { $0 ?? "" } }
    var cells = hasKey ? [try feed.keyText(of: record, at: position) ?? ""] : []
    fields.forEachValue(of: text) { index, value in
      var bytes: [UInt8] = []
      let isPresent = fields.append(value, ofColumn: index, in: text, to: &bytes)
      cells.append(isPresent ? Feed.text(ofValue: bytes.span.bytes) ?? "" : "")
    }
    return cells
  }
}
