import FeedCore
import JSONStream

/// Prints records of one schema in the formats of the commands.
struct RecordPrinter {
  let schema: PayloadSchema
  let output: Output
  private let writer: RecordWriter

  init(_ schema: PayloadSchema, to output: Output) {
    self.schema = schema
    self.output = output
    writer = RecordWriter(schema)
  }

  /// Prints the record as one line of JSON, without a line feed.
  func printJSON(_ record: borrowing RecordView) throws(StoreError) {
    // Two closures cannot capture a view, so the error is converted around the single call.
    do throws(RecordError) {
      try output.append { (buffer) throws(RecordError) in
        try writer.append(record, to: &buffer)
      }
    } catch {
      throw StoreError(error)
    }
  }

  /// Prints the record as a block of `field: value` lines. Fields without a value are omitted.
  func printBlock(_ record: borrowing RecordView) throws(StoreError) {
    for (field, value) in zip(schema.fields, try cells(record)) {
      guard let value else { continue }
      let space = value.isEmpty ? "" : " "
      output.write("\(field.name):\(space)\(TerminalText.escaped(value))\n")
    }
  }

  /// The values of the fields as text; nil for a field without one.
  func cells(_ record: borrowing RecordView) throws(StoreError) -> [String?] {
    do throws(RecordError) {
      var cells: [String?] = []
      for field in schema.fields { cells.append(try schema.text(of: field, in: record)) }
      return cells
    } catch {
      throw StoreError(error)
    }
  }
}

extension RecordPrinter {
  /// Prints the record as lines of name and value, with the names in a column. Each element of a
  /// list and each line of a text has its own line. Fields without a value are omitted; a field
  /// with an empty value shows only its name.
  func printDetail(_ record: borrowing RecordView) throws(StoreError) {
    let width = schema.fields.reduce(0) { max($0, $1.name.count) }
    let blank = String(repeating: " ", count: width)
    for field in schema.fields {
      for (index, value) in try values(of: field, in: record).enumerated() {
        let name = index > 0 ? "" : field.name
        let padding = blank.dropFirst(name.count) + "  "
        output.write(value.isEmpty ? name : name + padding + TerminalText.escaped(value))
        output.write("\n")
      }
    }
  }

  private func values(
    of field: PayloadSchema.Field, in record: borrowing RecordView
  ) throws(StoreError) -> [String] {
    do throws(RecordError) {
      if field.kind == .textList { return try record.texts(field.id) ?? [] }
      let text = try schema.text(of: field, in: record)
      return text?.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        .map(String.init) ?? []
    } catch {
      throw StoreError(error)
    }
  }
}
