import FeedCore
import JSONStream

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
