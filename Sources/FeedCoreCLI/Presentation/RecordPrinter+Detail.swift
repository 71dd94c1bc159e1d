import FeedCore
import JSONStream

extension RecordPrinter {
  /// The record as lines of name and value, the names in a column. An element of a list has a line
  /// of its own, and so has each line of a text. Fields without a value are left out; of one whose
  /// value is empty the name stands alone.
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
