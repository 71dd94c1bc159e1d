import JSONStream
import TestSupport

/// A random document whose records are placed by one framing.
struct FramedDocument {
  enum Framing: CaseIterable {
    case array, wrapped, keyed, lines, concatenated, sequence, rows, single, scalars, mixed
  }

  private(set) var text = ""
  /// The number of records, if a finder detects the framing.
  private(set) var recordCount = 0
  private var generator: SeededGenerator
  private var nextNumber: Int

  /// - Parameter first: the number of the first record; records of different numbers differ.
  init(_ framing: Framing, records: Int, first: Int = 0, seed: UInt64) {
    generator = SeededGenerator(seed: seed)
    nextNumber = first
    let values = (0..<records).map { _ in value(framing) }
    recordCount = framing == .single ? 1 : records
    switch framing {
    case .array, .scalars, .mixed: text = space() + list(values) + space()
    case .wrapped: text = wrapped(list(values))
    case .keyed: text = keyed(values)
    case .lines: text = values.map { line($0) + "\n" }.joined()
    case .concatenated: text = values.map { $0 + pick([" ", "\n", "\n\n\t"]) }.joined()
    case .sequence: text = values.map { "\u{1E}" + $0 + "\n" }.joined()
    case .rows: text = list([#"["id" ,"b\n"]"#] + values)
    case .single: text = #"{"id":1,"rest":"# + space() + list(values) + #","last":{}}"#
    }
  }

  /// A value on one line.
  private func line(_ value: String) -> String {
    value.replacing("\r\n", with: " ").replacing("\n", with: " ")
  }

  private mutating func pick(_ choices: [String]) -> String {
    choices.randomElement(using: &generator) ?? ""
  }

  private mutating func space() -> String { pick(["", "", "", " ", "\n  ", "\r\n\t"]) }

  private mutating func list(_ values: [String]) -> String {
    "[" + values.map { space() + $0 + space() }.joined(separator: ",") + "]"
  }

  private mutating func wrapped(_ records: String) -> String {
    var text = records
    for key in ["data", pick(["é", "a b", #"\u0061/~"#])].prefix(
      Int.random(in: 1...2, using: &generator))
    {
      let before = pick(["", #""s": null,"#, #""n" :[1.50, {"x":"\u00e9"}] ,"#])
      let after = pick(["", #","t":-0e1"#, #" , "t" : [] "#])
      text = "{" + before + "\"\(key)\"" + space() + ":" + space() + text + after + "}"
    }
    return text
  }

  private mutating func keyed(_ values: [String]) -> String {
    var members: [String] = []
    for (number, value) in values.enumerated() {
      let key = pick(["k\(number)", #"\u006b \#(number)"#, #"q\"\\\#(number)"#, "日本\(number)"])
      members.append(space() + "\"\(key)\"" + space() + ":" + space() + value)
    }
    return "{" + members.joined(separator: ",") + space() + "}"
  }

  private mutating func value(_ framing: Framing) -> String {
    let number = nextNumber
    nextNumber += 1
    switch framing {
    case .rows: return "[" + identifier(number) + "," + space() + any(depth: 1) + "]"
    case .scalars: return pick([identifier(number), scalar()])
    case .mixed where number.isMultiple(of: 3): return any(depth: 2)
    default: return record(number)
    }
  }

  private mutating func record(_ number: Int) -> String {
    var members = ["\"id\":" + space() + identifier(number), #""g": \#(number % 3)"#]
    for _ in 0..<Int.random(in: 0...4, using: &generator) {
      let key = pick(["a", "b", "a.b", "", "é", #"\u0061"#, #"q\"\\"#, "~/"])
      members.append("\"\(key)\"" + space() + ":" + any(depth: 2))
    }
    if number.isMultiple(of: 5) {
      members.append(#""n":{"m":\#(any(depth: 1)),"m":\#(identifier(number))}"#)
    }
    members.shuffle(using: &generator)
    return "{" + members.map { space() + $0 }.joined(separator: ",") + space() + "}"
  }

  /// A scalar that is unique to a number.
  private mutating func identifier(_ number: Int) -> String {
    pick([
      "\(number)", "\(number).50", "\"n\(number)\"", #""\u00e9\n\#(number)""#, "\"ü\(number)\"",
    ])
  }

  private mutating func scalar() -> String {
    pick([
      "null", "true", "false", "0", "-0", "-1.50e3", "1E+2", "12345678901234567890", #""""#,
      #""x  y""#, #""\u20ac\\""#, #""] , } : \"x""#, #""\ud83d\ude00""#,
    ])
  }

  private mutating func any(depth: Int) -> String {
    guard depth > 0 else { return scalar() }
    let count = Int.random(in: 0...3, using: &generator)
    switch Int.random(in: 0..<3, using: &generator) {
    case 0: return scalar()
    case 1: return list((0..<count).map { _ in any(depth: depth - 1) })
    default:
      let members = (0..<count).map { number in
        "\"m\(number % 2)\"" + space() + ":" + any(depth: depth - 1)
      }
      return "{" + members.joined(separator: space() + ",") + "}"
    }
  }
}

/// The tokens of JSON texts, verbatim. This function shares no code with FeedCore.
func tokens(_ text: String) -> [String] {
  let bytes = Array(text.utf8)
  let marks = Set("{}[]:,".utf8)
  // A record separator of RFC 7464 counts as space.
  let spaces = Set(" \n\r\t\u{1E}".utf8)
  var tokens: [String] = []
  var place = 0
  while place < bytes.count {
    let start = place
    place += 1
    if spaces.contains(bytes[start]) { continue }
    if bytes[start] == UInt8(ascii: "\"") {
      while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
        place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
      }
      place += 1
    } else if !marks.contains(bytes[start]) {
      while place < bytes.count, !marks.contains(bytes[place]), !spaces.contains(bytes[place]) {
        place += 1
      }
    }
    tokens.append(String(decoding: bytes[start..<min(place, bytes.count)], as: UTF8.self))
  }
  return tokens
}
