package import JSONStream

/// A condition on the records of a feed, such as `payload.size >= 10`, compiled once.
///
/// It is true of a record if one of the values at its path passes the test: a path with `[]` has
/// several values, and of an array each element is a value. `!=`, `!~` and `!exists` are true if
/// `=`, `~` and `exists` are false, also if there is no value.
package struct QueryCondition: Sendable, Hashable {
  /// How a value is tested.
  package enum Test: Sendable, Hashable {
    /// It has one of these values.
    case isOneOf([QueryLiteral])
    case isBefore(QueryLiteral, orEqual: Bool)
    case isAfter(QueryLiteral, orEqual: Bool)
    case contains(FoldedPattern)
    case exists
  }

  /// The operators, as a person writes them.
  package static let operators = "= != < <= > >= ~ !~ in exists !exists"

  package let path: JSONPath
  package private(set) var test: Test
  /// Whether the condition is true of records that fail the test.
  package let isNegated: Bool

  /// Compiles a condition: a path, an operator, and a value.
  ///
  /// - Throws: ``QueryError`` for a text that is not a condition
  package init(_ text: String) throws(QueryError) {
    var reader = ConditionReader(text)
    path = try JSONPath(query: reader.path(), in: text)
    let name = try reader.operatorName()
    let value = reader.value()
    isNegated = name.utf8.first == 0x21
    if name.hasSuffix("exists") {
      guard value.isEmpty else { throw QueryError(text, "\(name) takes no value") }
    } else if value.isEmpty, name == "in" || name == "~" || name == "!~" {
      throw QueryError(text, "a value follows \(name), in quotes if it is empty")
    }
    switch name {
    case "=", "==", "!=": test = .isOneOf([try QueryLiteral(value)])
    case "in": test = .isOneOf(try Self.list(value))
    case "<", "<=": test = .isBefore(try QueryLiteral(value), orEqual: name == "<=")
    case ">", ">=": test = .isAfter(try QueryLiteral(value), orEqual: name == ">=")
    case "~", "!~":
      let literal = try QueryLiteral(value)
      test = .contains(FoldedPattern(String(decoding: literal.bytes, as: UTF8.self)))
    default: test = .exists
    }
  }

  /// The values between commas. A value in quotes may contain commas.
  private static func list(_ text: String) throws(QueryError) -> [QueryLiteral] {
    var literals: [QueryLiteral] = []
    for value in QuotedList.split(text) { literals.append(try QueryLiteral(value)) }
    return literals
  }

  /// The condition with other values to compare with.
  package func comparing(_ change: (QueryLiteral) -> QueryLiteral) -> QueryCondition {
    guard case .isOneOf(let literals) = test else { return self }
    var result = self
    result.test = .isOneOf(literals.map(change))
    return result
  }

  /// Whether the condition is true of a record, by its JSON text.
  package func matches(_ text: RawSpan) -> Bool {
    let isFound = path.hasValue(in: text) { range in
      test == .exists || passes(text.extracting(range))
    }
    return isFound != isNegated
  }

  private func passes(_ value: RawSpan) -> Bool {
    var cursor = JSONCursor(value)
    guard let kind = cursor.nextKind() else { return false }
    guard kind == .array else { return kind != .object && passes(kind, value) }
    _ = cursor.enter()
    while let kind = cursor.nextElement(), let range = cursor.skipValue() {
      if !kind.isContainer, passes(kind, value.extracting(range)) { return true }
    }
    return false
  }

  private func passes(_ kind: JSONCursor.Kind, _ value: RawSpan) -> Bool {
    switch test {
    case .isOneOf(let literals):
      for literal in literals where literal.equals(kind, value) { return true }
      return false
    case .isBefore(let literal, let orEqual):
      return literal.order(of: kind, value).map { $0 < 0 || orEqual && $0 == 0 } ?? false
    case .isAfter(let literal, let orEqual):
      return literal.order(of: kind, value).map { $0 > 0 || orEqual && $0 == 0 } ?? false
    case .contains(let pattern):
      var cursor = JSONCursor(value)
      return cursor.nextString().map { pattern.isPart(of: $0, in: value) } ?? false
    case .exists: return true
    }
  }
}

/// Splits a condition into its parts.
struct ConditionReader {
  private let text: String
  private let bytes: [UInt8]
  private var place = 0

  init(_ text: String) {
    self.text = Self.trimmed(text)
    bytes = Array(self.text.utf8)
  }

  /// The text without white space at its ends.
  static func trimmed(_ text: String) -> String {
    let bytes = Array(text.utf8)
    let start = bytes.firstIndex { !JSONCursor.isSpace($0) } ?? bytes.endIndex
    let end = bytes.lastIndex { !JSONCursor.isSpace($0) }.map { $0 + 1 } ?? start
    return String(decoding: bytes[start..<max(start, end)], as: UTF8.self)
  }

  /// Everything before the operator. A key in quotes may have any character.
  mutating func path() throws(QueryError) -> String {
    let isPointer = bytes.first == 0x2F
    while place < bytes.count, !isOperator(at: place, isPointer) {
      if bytes[place] == 0x22, !isPointer { skipQuotes() }
      place += 1
    }
    let end = min(place, bytes.count)
    guard end > 0 else {
      throw QueryError(text, "a path precedes the operator, as in name=value")
    }
    return String(decoding: bytes[..<end], as: UTF8.self)
  }

  private func isOperator(at place: Int, _ isPointer: Bool) -> Bool {
    switch bytes[place] {
    case 0x21, 0x3C, 0x3D, 0x3E: true
    // A key may have white space.
    case 0x20, 0x09, 0x0A, 0x0D: operatorName(after: place) != nil
    // In a JSON Pointer `~0` and `~1` are escapes.
    case 0x7E:
      !isPointer || place + 1 >= bytes.count || bytes[place + 1] != 0x30 && bytes[place + 1] != 0x31
    default: false
    }
  }

  private mutating func skipQuotes() {
    place += 1
    while place < bytes.count, bytes[place] != 0x22 {
      place += bytes[place] == 0x5C ? 2 : 1
    }
  }

  mutating func operatorName() throws(QueryError) -> String {
    guard let (name, end) = operatorName(after: place) else {
      throw QueryError(text, "an operator follows the path: \(QueryCondition.operators)")
    }
    place = end
    return name
  }

  /// The operator after white space, and where it ends.
  private func operatorName(after place: Int) -> (name: String, end: Int)? {
    var start = min(place, bytes.count)
    while start < bytes.count, JSONCursor.isSpace(bytes[start]) { start += 1 }
    let rest = bytes[start...]
    for name in ["!=", "!~", "!exists", "<=", ">=", "==", "=", "<", ">", "~", "in", "exists"]
    where rest.starts(with: name.utf8) {
      let end = start + name.utf8.count
      let isWord = name == "in" || name.hasSuffix("exists")
      if isWord, end < bytes.count, !JSONCursor.isSpace(bytes[end]) { continue }
      // A key may end with the letters of an operator.
      if isWord, name.utf8.first != 0x21, start == place { continue }
      return (name, end)
    }
    return nil
  }

  private mutating func skipSpaces() {
    while place < bytes.count, JSONCursor.isSpace(bytes[place]) { place += 1 }
    place = min(place, bytes.count)
  }

  /// Everything after the operator.
  mutating func value() -> String {
    skipSpaces()
    return String(decoding: bytes[place...], as: UTF8.self)
  }
}
