/// A JSON value of the tests, by which queries are evaluated naively.
///
/// It shares no code with the engine. Numbers keep their text, so that none is rounded, and objects
/// keep repeated keys.
package enum ModelValue: Sendable {
  case null
  case bool(Bool)
  case number(String)
  case string(String)
  case array([ModelValue])
  case object([(key: String, value: ModelValue)])

  /// The compact JSON text, with few escapes. Equal values have equal texts, except for numbers.
  package var text: String {
    switch self {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .number(let text): text
    case .string(let string): Self.quoted(string) { _ in false }
    case .array(let elements): "[" + elements.map(\.text).joined(separator: ",") + "]"
    case .object(let members):
      "{" + members.map { "\(Self.string($0.key).text):\($0.value.text)" }.joined(separator: ",")
        + "}"
    }
  }

  package var isContainer: Bool {
    switch self {
    case .array, .object: true
    default: false
    }
  }

  /// The tokens of a JSON text, whose strings have escapes at random.
  package func tokens(using generator: inout SeededGenerator) -> [String] {
    switch self {
    case .null, .bool, .number: return [text]
    case .string(let string):
      let share = Int.random(in: 0..<3, using: &generator)
      return [
        Self.quoted(string) { _ in share > 0 && Int.random(in: 0..<4, using: &generator) < share }
      ]
    case .array(let elements):
      var tokens = ["["]
      for (place, element) in elements.enumerated() {
        tokens += (place > 0 ? [","] : []) + element.tokens(using: &generator)
      }
      return tokens + ["]"]
    case .object(let members):
      var tokens = ["{"]
      for (place, member) in members.enumerated() {
        tokens += (place > 0 ? [","] : []) + Self.string(member.key).tokens(using: &generator)
        tokens += [":"] + member.value.tokens(using: &generator)
      }
      return tokens + ["}"]
    }
  }

  /// A string in quotes, with the escapes that JSON requires and the requested ones.
  package static func quoted(
    _ string: String, escapes: (Unicode.Scalar) -> Bool = { _ in false }
  ) -> String {
    var text = "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"", "\\": text += "\\" + String(scalar)
      case "\n": text += "\\n"
      case _ where scalar.value < 0x20 || escapes(scalar):
        for unit in String(scalar).utf16 {
          let digits = String(unit, radix: 16)
          text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text + "\""
  }
}

extension ModelValue {
  /// The error for a text that is not JSON.
  package struct Fault: Error {
    let text: String
    let place: Int
  }

  /// Reads a JSON text.
  package init(json text: String) throws {
    var reader = ModelReader(text)
    self = try reader.value()
    guard reader.isAtEnd else { throw reader.fault }
  }
}

/// Reads JSON texts that are known to be valid, character by character.
private struct ModelReader {
  private let scalars: [Unicode.Scalar]
  private var place = 0

  init(_ text: String) { scalars = Array(text.unicodeScalars) }

  var fault: ModelValue.Fault {
    ModelValue.Fault(text: String(String.UnicodeScalarView(scalars)), place: place)
  }

  var isAtEnd: Bool {
    mutating get {
      skipSpace()
      return place == scalars.count
    }
  }

  private var next: Unicode.Scalar? { place < scalars.count ? scalars[place] : nil }

  private mutating func skipSpace() {
    while let scalar = next, [" ", "\t", "\n", "\r"].contains(scalar) { place += 1 }
  }

  private mutating func take(_ text: String) -> Bool {
    guard scalars[place...].starts(with: text.unicodeScalars) else { return false }
    place += text.unicodeScalars.count
    return true
  }

  mutating func value() throws -> ModelValue {
    skipSpace()
    if take("null") { return .null }
    if take("true") { return .bool(true) }
    if take("false") { return .bool(false) }
    switch next {
    case "\"": return .string(try string())
    case "[": return .array(try items(until: "]") { reader in try reader.value() })
    case "{":
      let members = try items(until: "}") { reader in
        reader.skipSpace()
        let key = try reader.string()
        reader.skipSpace()
        guard reader.take(":") else { throw reader.fault }
        return (key: key, value: try reader.value())
      }
      return .object(members)
    default:
      let start = place
      while let scalar = next, "+-.0123456789Ee".unicodeScalars.contains(scalar) { place += 1 }
      guard place > start else { throw fault }
      return .number(String(String.UnicodeScalarView(scalars[start..<place])))
    }
  }

  private mutating func items<Item>(
    until close: String, _ item: (inout ModelReader) throws -> Item
  ) throws -> [Item] {
    place += 1
    var items: [Item] = []
    skipSpace()
    while !take(close) {
      if !items.isEmpty, !take(",") { throw fault }
      items.append(try item(&self))
      skipSpace()
    }
    return items
  }

  private mutating func string() throws -> String {
    guard take("\"") else { throw fault }
    var units: [UInt16] = []
    while let scalar = next {
      place += 1
      if scalar == "\"" { return String(decoding: units, as: UTF16.self) }
      units += scalar == "\\" ? [try escape()] : Array(String(scalar).utf16)
    }
    throw fault
  }

  private mutating func escape() throws -> UInt16 {
    guard let scalar = next else { throw fault }
    place += 1
    switch scalar {
    case "b": return 0x08
    case "f": return 0x0C
    case "n": return 0x0A
    case "r": return 0x0D
    case "t": return 0x09
    case "u":
      let digits = String(String.UnicodeScalarView(scalars[place...].prefix(4)))
      guard let unit = UInt16(digits, radix: 16) else { throw fault }
      place += 4
      return unit
    default: return UInt16(truncatingIfNeeded: scalar.value)
    }
  }
}
