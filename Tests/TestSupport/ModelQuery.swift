/// A step of a path, as tests write it.
package enum ModelStep: Sendable, Hashable {
  case key(String)
  case index(Int)
  case any
}

/// A path, which is written in words or as a JSON Pointer.
package struct ModelPath: Sendable, Hashable {
  package let steps: [ModelStep]
  package var isPointer = false

  package init(_ steps: [ModelStep], isPointer: Bool = false) {
    (self.steps, self.isPointer) = (steps, isPointer)
  }

  package var hasAny: Bool { steps.contains(.any) }

  package var text: String {
    var text = ""
    for step in steps {
      switch step {
      case .key(let key) where isPointer:
        text += "/" + key.replacing("~", with: "~0").replacing("/", with: "~1")
      case .index(let index) where isPointer: text += "/\(index)"
      case .key(let key):
        let isPlain = !key.isEmpty && key.allSatisfy { $0.isLetter && $0.isASCII || $0 == "_" }
        text += (text.isEmpty ? "" : ".") + (isPlain ? key : ModelValue.quoted(key))
      case .index(let index): text += "[\(index)]"
      case .any: text += "[]"
      }
    }
    return text
  }

  /// All values at the path, in the order of the record.
  package func values(in record: ModelValue) -> [ModelValue] {
    var values = [record]
    for step in steps {
      values = values.flatMap { value -> [ModelValue] in
        switch (step, value) {
        case (.any, .array(let elements)): return elements
        case (.index(let index), .array(let elements)):
          return index < elements.count ? [elements[index]] : []
        case (.index(let index), .object) where isPointer:
          return Self.member("\(index)", of: value)
        case (.key(let key), .object): return Self.member(key, of: value)
        case (.key(let key), .array(let elements)) where isPointer:
          guard let index = Int(key), "\(index)" == key, elements.indices.contains(index)
          else { return [] }
          return [elements[index]]
        default: return []
        }
      }
    }
    return values
  }

  /// The last value of a repeated key counts.
  private static func member(_ key: String, of value: ModelValue) -> [ModelValue] {
    guard case .object(let members) = value else { return [] }
    return members.last { $0.key.utf8.elementsEqual(key.utf8) }.map { [$0.value] } ?? []
  }
}

/// A value that a condition compares with, with or without quotes.
package struct ModelLiteral: Sendable {
  let string: String
  let isQuoted: Bool

  /// About half of the quoted values have single quotes. A condition of the C API is one line.
  var text: String {
    guard isQuoted else { return string }
    if string.utf8.count % 2 == 0 || string.utf8.contains(where: { $0 < 0x20 }) {
      return ModelValue.quoted(string)
    }
    return "'" + string.replacing("'", with: "''") + "'"
  }

  private var number: ModelNumber? { isQuoted ? nil : ModelNumber(string) }

  func equals(_ value: ModelValue) -> Bool {
    switch value {
    case .string(let other):
      if other.utf8.elementsEqual(string.utf8) { return true }
      guard let mine = ModelDate.seconds(string) else { return false }
      return mine == ModelDate.seconds(other)
    case .number(let text):
      guard let number, let other = ModelNumber(text) else { return false }
      return number.order(to: other) == 0
    case .null, .bool: return !isQuoted && value.text == string
    case .array, .object: return false
    }
  }

  /// How a value compares with this one: negative if it comes first, nil if it has another type.
  func order(of value: ModelValue) -> Int? {
    switch value {
    case .number(let text):
      guard let number, let other = ModelNumber(text) else { return nil }
      return other.order(to: number)
    case .string(let other):
      guard number == nil else { return nil }
      if let mine = ModelDate.seconds(string), let theirs = ModelDate.seconds(other) {
        return theirs < mine ? -1 : theirs > mine ? 1 : 0
      }
      return ModelOrder.order(of: other, to: string)
    case .null, .bool, .array, .object: return nil
    }
  }
}

/// A condition on records.
package struct ModelCondition: Sendable {
  package static let operators = [
    "=", "!=", "<", "<=", ">", ">=", "~", "!~", "in", "exists", "!exists",
  ]

  let path: ModelPath
  let name: String
  let literals: [ModelLiteral]

  package var text: String {
    let values = literals.map(\.text).joined(separator: ", ")
    return "\(path.text) \(name)" + (values.isEmpty ? "" : " \(values)")
  }

  package func matches(_ record: ModelValue) -> Bool {
    let values = path.values(in: record)
    switch name {
    case "exists": return !values.isEmpty
    case "!exists": return values.isEmpty
    case "!=": return !values.contains { passes($0, "=") }
    case "!~": return !values.contains { passes($0, "~") }
    default: return values.contains { passes($0, name) }
    }
  }

  /// Each scalar of an array counts as a value.
  private func passes(_ value: ModelValue, _ name: String) -> Bool {
    if case .array(let elements) = value {
      return elements.contains { !$0.isContainer && passes($0, name) }
    }
    if value.isContainer { return false }
    if name == "=" || name == "in" { return literals.contains { $0.equals(value) } }
    if name == "~" {
      guard case .string(let string) = value else { return false }
      return ModelOrder.contains(string, literals[0].string)
    }
    guard let order = literals[0].order(of: value) else { return false }
    switch name {
    case "<": return order < 0
    case "<=": return order <= 0
    case ">": return order > 0
    default: return order >= 0
    }
  }
}

/// How values are ordered and searched.
enum ModelOrder {
  static func order(of text: String, to other: String) -> Int {
    let (mine, theirs) = (text.unicodeScalars, other.unicodeScalars)
    if mine.elementsEqual(theirs) { return 0 }
    return mine.lexicographicallyPrecedes(theirs) ? -1 : 1
  }

  /// Whether a text contains another text, ignoring case.
  static func contains(_ text: String, _ part: String) -> Bool {
    let (whole, part) = (lower(text), lower(part))
    guard part.count <= whole.count else { return false }
    return (0...(whole.count - part.count)).contains { whole[$0...].starts(with: part) }
  }

  private static func lower(_ text: String) -> [Unicode.Scalar] {
    text.unicodeScalars.flatMap { $0.properties.lowercaseMapping.unicodeScalars }
  }

  /// The order of jq, with absent values first.
  static func order(of value: ModelValue?, to other: ModelValue?) -> Int {
    switch (value, other) {
    case (.number(let mine), .number(let theirs)):
      guard let mine = ModelNumber(mine), let theirs = ModelNumber(theirs) else { return 0 }
      return mine.order(to: theirs)
    case (.string(let mine), .string(let theirs)): return order(of: mine, to: theirs)
    default: return rank(value) - rank(other)
    }
  }

  private static func rank(_ value: ModelValue?) -> Int {
    switch value {
    case nil: 0
    case .null: 1
    case .bool(let isTrue): isTrue ? 3 : 2
    case .number: 4
    case .string: 5
    case .array: 6
    case .object: 7
    }
  }
}

/// A query of records in memory.
package struct ModelQuery: Sendable, CustomStringConvertible {
  let conditions: [ModelCondition]
  let order: [(path: ModelPath, isReversed: Bool)]
  package let offset: Int
  package let limit: Int?
  /// The path whose distinct values are requested.
  package let distinctPath: ModelPath

  package var conditionTexts: [String] { conditions.map(\.text) }
  package var sortTexts: [String] { order.map { ($0.isReversed ? "-" : "") + $0.path.text } }

  package var description: String {
    "\(conditionTexts) sort \(sortTexts) offset \(offset) limit \(limit ?? -1), distinct "
      + distinctPath.text
  }

  /// The positions of all records that match the conditions, in the order of the feed.
  package func matches(in records: [ModelValue]) -> [Int] {
    records.indices.filter { place in conditions.allSatisfy { $0.matches(records[place]) } }
  }

  /// The positions of the records in the result, in order.
  package func positions(in records: [ModelValue]) -> [Int] {
    let sorted = matches(in: records).sorted { first, second in
      for key in order {
        let values = [first, second].map { key.path.values(in: records[$0]).first }
        let order = ModelOrder.order(of: values[0], to: values[1])
        if order != 0 { return (order < 0) != key.isReversed }
      }
      return first < second
    }
    return Array(sorted.dropFirst(offset).prefix(limit ?? .max))
  }

  /// The distinct scalars with their counts, the most frequent first. Objects and arrays are
  /// omitted, because their texts make them distinct.
  package func distinct(in records: [ModelValue]) -> [(value: ModelValue, count: Int)] {
    var found: [(value: ModelValue, count: Int)] = []
    for place in matches(in: records) {
      for value in distinctPath.values(in: records[place]) where !value.isContainer {
        if let known = found.firstIndex(where: { Self.areSame($0.value, value) }) {
          found[known].count += 1
        } else {
          found.append((value, 1))
        }
      }
    }
    let order = found.indices.sorted { first, second in
      let counts = (found[first].count, found[second].count)
      return counts.0 == counts.1 ? first < second : counts.0 > counts.1
    }
    return order.map { found[$0] }
  }

  private static func areSame(_ value: ModelValue, _ other: ModelValue) -> Bool {
    switch (value, other) {
    case (.null, .null), (.bool, .bool), (.number, .number), (.string, .string):
      ModelOrder.order(of: value, to: other) == 0
    default: false
    }
  }
}
