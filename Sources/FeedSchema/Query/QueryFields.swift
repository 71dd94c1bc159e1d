package import JSONStream

/// The values of a record that a query asks for.
package struct QueryFields: Sendable, Hashable {
  /// A path and how it was written, which is the name of its value.
  package struct Column: Sendable, Hashable {
    package let name: String
    package let path: JSONPath

    package init(_ name: String, _ path: JSONPath) {
      self.name = name
      self.path = path
    }
  }

  /// The maximum number of columns: each may be the whole record.
  static let maximumCount = 256

  package let columns: [Column]

  package var paths: [JSONPath] { columns.map(\.path) }

  package init(_ columns: [Column]) { self.columns = columns }

  /// Compiles paths, which commas separate. A comma in double quotes belongs to a key.
  ///
  /// - Throws: ``QueryError`` for a text that is no path, and for too many
  package init(_ text: String) throws(QueryError) {
    try self.init(names: QuotedList.split(text, hasPaths: true))
  }

  /// Compiles paths, whose texts are the names of their values.
  ///
  /// - Throws: ``QueryError`` for a text that is no path, and for too many
  package init(names: [String]) throws(QueryError) {
    guard names.count <= Self.maximumCount else {
      throw QueryError("fields", "at most \(Self.maximumCount) values are possible")
    }
    var columns: [Column] = []
    for name in names {
      guard !name.isEmpty else {
        throw QueryError(
          "fields", "a path is missing between two others; whole records have no fields")
      }
      columns.append(Column(name, try JSONPath(query: name)))
    }
    self.columns = columns
  }

  /// Appends an object of the values that a record has, by the names of the columns.
  package func appendObject(of text: RawSpan, to output: inout [UInt8]) {
    output.append(0x7B)
    var isFirst = true
    for column in columns {
      let start = output.count
      if !isFirst { output.append(0x2C) }
      JSONText.appendString(column.name, to: &output)
      output.append(0x3A)
      if Self.appendValue(column.path, of: text, to: &output) {
        isFirst = false
      } else {
        output.removeSubrange(start...)
      }
    }
    output.append(0x7D)
  }

  /// Appends the JSON text of a column's value: an array of all values for a path with `[]`.
  ///
  /// - Returns: false if the record has none
  package static func appendValue(
    _ path: JSONPath, of text: RawSpan, to output: inout [UInt8]
  ) -> Bool {
    guard path.hasAnyElement else {
      // A path without `[]` has no fault.
      guard let range = (try? path.find(in: text)) ?? nil else { return false }
      text.extracting(range).withUnsafeBytes { output.append(contentsOf: $0) }
      return true
    }
    output.append(0x5B)
    var isFirst = true
    path.forEachValue(in: text) { range in
      if !isFirst { output.append(0x2C) }
      isFirst = false
      text.extracting(range).withUnsafeBytes { output.append(contentsOf: $0) }
      return true
    }
    output.append(0x5D)
    return true
  }
}
