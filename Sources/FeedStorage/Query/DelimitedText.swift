package import FeedSchema
import JSONStream

/// Records as lines of values (RFC 4180). A value is quoted if it contains a separator, a quote or
/// a line break, is an empty string, or equals the text for null. A missing value and `null` are
/// written as the text for null, by default nothing.
///
/// Strings are written as their characters, other scalars as their literals, and objects and arrays
/// as JSON.
package struct DelimitedText: Sendable {
  /// The separator of values and the end of lines.
  package enum Form: Sendable {
    /// Commas, and lines that end with CR and LF (RFC 4180, section 2).
    case commas
    /// Tabs, and lines that end with LF.
    case tabs
  }

  private let fields: QueryFields
  private let separator: UInt8
  private let lineEnd: [UInt8]
  private let null: [UInt8]

  /// - Parameters:
  ///   - fields: the columns
  ///   - null: the text for `null` and for a missing value
  package init(_ form: Form, _ fields: QueryFields, null: String = "") {
    self.fields = fields
    separator = form == .commas ? 0x2C : 0x09
    lineEnd = form == .commas ? [0x0D, 0x0A] : [0x0A]
    self.null = Array(null.utf8)
  }

  /// Appends the line of the columns' names.
  package func appendHeader(to output: inout [UInt8]) {
    appendLine(fields.columns.map { Array($0.name.utf8) }, to: &output)
  }

  /// Appends a line of values; nil is a missing value.
  package func appendLine(_ values: [[UInt8]?], to output: inout [UInt8]) {
    let start = output.count
    for (index, value) in values.enumerated() {
      if index > 0 { output.append(separator) }
      if let value { appendCell(value.span.bytes, to: &output) } else { output += null }
    }
    endLine(from: start, to: &output)
  }

  /// Most readers skip an empty line, so its only value is written as an empty string.
  private func endLine(from start: Int, to output: inout [UInt8]) {
    if output.count == start { output += [0x22, 0x22] }
    output += lineEnd
  }

  /// Appends the line of a record, by its JSON text.
  package func append(_ text: RawSpan, to output: inout [UInt8]) {
    let start = output.count
    fields.forEachValue(of: text) { index, value in
      if index > 0 { output.append(separator) }
      switch value {
      case .absent: output += null
      case .range(let range): append(value: text.extracting(range), to: &output)
      case .list:
        var list: [UInt8] = []
        _ = fields.append(value, ofColumn: index, in: text, to: &list)
        append(value: list.span.bytes, to: &output)
      }
    }
    endLine(from: start, to: &output)
  }

  private func append(value: RawSpan, to output: inout [UInt8]) {
    var cursor = JSONCursor(value)
    switch cursor.nextKind() {
    case .null, nil: output += null
    case .string:
      guard let string = cursor.nextString() else { return }
      if string.isEscaped {
        appendCell(string.decoded(in: value).span.bytes, to: &output)
      } else {
        appendCell(value.extracting(string.range), to: &output)
      }
    default: appendCell(value, to: &output)
    }
  }

  private func appendCell(_ bytes: RawSpan, to output: inout [UInt8]) {
    bytes.withUnsafeBytes { bytes in
      let isQuoted =
        bytes.isEmpty || bytes.elementsEqual(null)
        || bytes.contains { $0 == separator || $0 == 0x22 || $0 == 0x0A || $0 == 0x0D }
      guard isQuoted else { return output.append(contentsOf: bytes) }
      output.append(0x22)
      for byte in bytes {
        if byte == 0x22 { output.append(0x22) }
        output.append(byte)
      }
      output.append(0x22)
    }
  }
}

extension Feed {
  /// The columns that together hold all values of all records: the fields of a contract, or the
  /// keys of documents.
  ///
  /// - Throws: `QueryError` if documents are not all objects, or have too many keys to list
  package func allColumns() throws(QueryError) -> QueryFields {
    if schema.document == nil {
      return QueryFields(schema.fields.map { .init($0.pathText, JSONPath(keys: $0.path)) })
    }
    if let keys = description.storedSchema?.recordKeys {
      return QueryFields(
        keys.map { .init(PayloadSchema.pathText([$0]), JSONPath(keys: [$0])) })
    }
    throw QueryError(
      description.name.text,
      "its records are not objects with few keys, so name the columns, as in a,b.c or [0],[1]")
  }
}
