package import FeedRecord
package import JSONStream

// Values in the JSON texts of records.
extension Feed {
  /// Passes the JSON text of a record: that of a document in place, that of a flat record as a copy.
  ///
  /// - Throws: `damaged`; the error of `body`
  package func withJSON<Result>(
    of record: borrowing RecordView, _ body: (RawSpan) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    var scratch: [UInt8] = []
    return try withJSON(of: record, &scratch, body)
  }

  /// The same for many records, whose copies use the same memory.
  func withJSON<Result>(
    of record: borrowing RecordView, _ scratch: inout [UInt8],
    _ body: (RawSpan) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    if let field = generation.format.text, let text = try documentText(of: record, field) {
      return try body(text)
    }
    scratch.removeAll(keepingCapacity: true)
    try appendJSON(of: record, to: &scratch)
    return try body(scratch.span.bytes)
  }

  @_lifetime(copy record)
  private func documentText(
    of record: borrowing RecordView, _ field: FieldLocation
  ) throws(StoreError) -> RawSpan? {
    do throws(RecordError) {
      return try record.rawJSON(field)
    } catch {
      throw StoreError(error, path: database.directory)
    }
  }

  /// Appends the JSON text of the value at a path of a record.
  ///
  /// - Returns: false if the record has no such value
  /// - Throws: `damaged`
  package func appendValue(
    at path: JSONPath, of record: borrowing RecordView, to output: inout [UInt8]
  ) throws(StoreError) -> Bool {
    try withJSON(of: record) { text throws(StoreError) in
      // A path without `[]` cannot fail.
      guard let range = (try? path.find(in: text)) ?? nil else { return false }
      text.extracting(range).withUnsafeBytes { output.append(contentsOf: $0) }
      return true
    }
  }
}
