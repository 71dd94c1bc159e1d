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
