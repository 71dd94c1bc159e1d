import FeedCore
import JSONStream

/// Prints records of one schema in the forms that the commands offer.
struct RecordPrinter {
  let schema: PayloadSchema
  let output: Output
  private let writer: RecordWriter

  init(_ schema: PayloadSchema, to output: Output) {
    self.schema = schema
    self.output = output
    writer = RecordWriter(schema)
  }

  /// The record as one line of JSON, without a line feed.
  func printJSON(_ record: borrowing RecordView) throws(StoreError) {
    // A view cannot be captured by two closures: the error is turned around the one call.
    do throws(RecordError) {
      try output.append { (buffer) throws(RecordError) in
        try writer.append(record, to: &buffer)
      }
    } catch {
      throw StoreError(error)
    }
  }

  /// The record as a block of `field: value` lines. Fields without a value are left out.
  func printBlock(_ record: borrowing RecordView) throws(StoreError) {
    for (field, value) in zip(schema.fields, try cells(record)) {
      guard let value else { continue }
      let space = value.isEmpty ? "" : " "
      output.write("\(field.name):\(space)\(TerminalText.escaped(value))\n")
    }
  }

  /// The fields' values as text; nil where there is none.
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
