package import JSONStream

/// The values of a record that a query selects.
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
  /// The distinct keys with which paths begin.
  private let firstKeys: [[UInt8]]
  /// How the value of each column is found.
  private let places: [Place]

  private enum Place: Sendable, Hashable {
    /// In the member with this index in ``firstKeys``.
    case member(Int)
    /// By its whole path.
    case path
    /// The path has `[]`.
    case list
  }

  package var paths: [JSONPath] { columns.map(\.path) }

  package init(_ columns: [Column]) {
    self.columns = columns
    var keys: [[UInt8]] = []
    var numbers: [[UInt8]: Int] = [:]
    places = columns.map { column in
      if column.path.hasAnyElement { return .list }
      guard case .member(let key) = column.path.steps.first else { return .path }
      if let number = numbers[key] { return .member(number) }
      numbers[key] = keys.count
      keys.append(key)
      return .member(keys.count - 1)
    }
    firstKeys = keys
  }

  /// Compiles paths separated by commas. A comma in double quotes belongs to a key.
  ///
  /// - Throws: ``QueryError`` for a text that is not a path, and for too many paths
  package init(_ text: String) throws(QueryError) {
    try self.init(names: QuotedList.split(text, hasPaths: true))
  }

  /// Compiles paths, whose texts are the names of their values.
  ///
  /// - Throws: ``QueryError`` for a text that is not a path, and for too many paths
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
    self.init(columns)
  }

  /// The value of a column in one record.
  package enum Value: Sendable, Hashable {
    /// The record has none.
    case absent
    /// Its bytes in the text of the record.
    case range(Range<Int>)
    /// All values of a path with `[]`: ``append(_:ofColumn:in:to:)`` writes them as an array.
    case list
  }

  /// Passes the value of each column, in the order of the columns.
  ///
  /// One walk over the record finds the members with which paths begin. It allocates for keys with
  /// escapes, and for more than 64 columns.
  ///
  /// - Parameters:
  ///   - text: complete JSON
  ///   - body: receives the number of the column and its value
  package func forEachValue(of text: RawSpan, _ body: (Int, Value) -> Void) {
    // The memory is initialized before it is read. Its indices are those of `firstKeys`.
    withUnsafeTemporaryAllocation(of: Range<Int>.self, capacity: firstKeys.count) { members in
      members.initialize(repeating: 0..<0)
      findMembers(in: text, members)
      for (index, place) in places.enumerated() {
        switch place {
        case .list: body(index, .list)
        case .path: body(index, Self.value(at: columns[index].path.steps[...], in: text))
        case .member(let key):
          let (member, steps) = (members[key], columns[index].path.steps)
          if member.isEmpty {
            body(index, .absent)
          } else if steps.count == 1 {
            body(index, .range(member))
          } else {
            body(index, Self.value(at: steps[1...], in: text, from: member.lowerBound))
          }
        }
      }
    }
  }

  /// Finds the members of a record with the keys of ``firstKeys``. Of a repeated key the last one
  /// counts.
  private func findMembers(
    in text: RawSpan, _ members: UnsafeMutableBufferPointer<Range<Int>>
  ) {
    var cursor = JSONCursor(text)
    guard !firstKeys.isEmpty, cursor.nextKind() == .object, cursor.enter() != nil else { return }
    // Most records have their keys in the order of the columns.
    var expected = 0
    while let found = cursor.nextKey() {
      var match: Int?
      for _ in firstKeys.indices {
        if found.equals(firstKeys[expected], in: text) { match = expected }
        expected = expected + 1 == firstKeys.count ? 0 : expected + 1
        if match != nil { break }
      }
      guard let value = cursor.skipValue() else { return }
      if let match { members[match] = value }
    }
  }

  private static func value(
    at steps: ArraySlice<JSONPath.Step>, in text: RawSpan, from start: Int = 0
  ) -> Value {
    var cursor = JSONCursor(text, at: start)
    for step in steps {
      guard let start = JSONPath.start(of: step, &cursor, takingFirst: false) else {
        return .absent
      }
      cursor = JSONCursor(text, at: start)
    }
    return cursor.skipValue().map { .range($0) } ?? .absent
  }

  /// Appends the text of a value that ``forEachValue(of:_:)`` has passed. Returns false for none.
  package func append(
    _ value: Value, ofColumn index: Int, in text: RawSpan, to output: inout [UInt8]
  ) -> Bool {
    switch value {
    case .absent: return false
    case .range(let range):
      text.extracting(range).withUnsafeBytes { output.append(contentsOf: $0) }
      return true
    case .list:
      Self.appendList(columns[index].path, of: text, to: &output)
      return true
    }
  }

  /// Appends an object of the values that a record has, by the names of the columns.
  package func appendObject(of text: RawSpan, to output: inout [UInt8]) {
    output.append(0x7B)
    var isFirst = true
    forEachValue(of: text) { index, value in
      guard value != .absent else { return }
      if !isFirst { output.append(0x2C) }
      isFirst = false
      JSONText.appendString(columns[index].name, to: &output)
      output.append(0x3A)
      _ = append(value, ofColumn: index, in: text, to: &output)
    }
    output.append(0x7D)
  }

  /// Appends all values of a path with `[]` as an array.
  private static func appendList(
    _ path: JSONPath, of text: RawSpan, to output: inout [UInt8]
  ) {
    output.append(0x5B)
    var isFirst = true
    path.forEachValue(in: text) { range in
      if !isFirst { output.append(0x2C) }
      isFirst = false
      text.extracting(range).withUnsafeBytes { output.append(contentsOf: $0) }
      return true
    }
    output.append(0x5D)
  }
}
