import JSONStream
import TestSupport

/// A random document with records in a known place.
struct PlannedDocument {
  let plan: DocumentPlan
  private(set) var text = ""
  /// The records as written in the text, and the keys of members.
  private(set) var records: [String] = []
  private(set) var keys: [String] = []
  /// The compact text outside the container.
  private(set) var before = ""
  private(set) var after = ""
  private var generator: SeededGenerator

  init(_ framing: DocumentPlan.Framing, using seeds: inout SeededGenerator) {
    generator = SeededGenerator(seed: seeds.next())
    let depth = Int.random(in: 0...3, using: &generator)
    let path = (0..<depth).map { _ in ["a", "data", "é", "x y"].randomElement() ?? "a" }
    switch framing {
    case .array, .keyed, .rows: plan = DocumentPlan(framing, at: path)
    case .lines, .concatenated, .sequence, .single: plan = DocumentPlan(framing)
    }
    make(framing)
  }

  private mutating func make(_ framing: DocumentPlan.Framing) {
    let count = [0, 1, 2, 5, 30].randomElement(using: &generator) ?? 1
    switch framing {
    case .array, .keyed, .rows: makeContainer(count)
    case .lines:
      text += space(lines: true)
      for _ in 0...count {
        add(token: value(lines: true))
        text += [" \n", "\n", "\r\n", "\n\n", "\n \n"].randomElement(using: &generator) ?? "\n"
      }
    case .concatenated, .sequence:
      for _ in 0...count {
        text += framing == .sequence ? "\u{1E}" : space()
        add(token: value())
        text += [" ", "\n", "\n\n\t"].randomElement(using: &generator) ?? " "
      }
    case .single:
      text += space()
      add(token: value())
      text += space()
    }
  }

  private mutating func add(token record: String) {
    records.append(record)
    text += record
  }

  private mutating func makeContainer(_ count: Int) {
    for key in plan.path {
      outside("{")
      for _ in 0..<Int.random(in: 0...2, using: &generator) {
        member("s\(Int.random(in: 0...9, using: &generator))")
        outside(",")
      }
      outside("\"\(key)\"")
      outside(":")
    }
    outside(plan.framing == .keyed ? "{" : "[")
    if plan.framing == .rows {
      outside(#"["id","x y"]"#)
      if count > 0 { text += "," }
    }
    for number in 0..<count {
      if number > 0 { text += space() + "," }
      text += space()
      if plan.framing == .keyed {
        let key =
          ["k", "", #"\\"#, #"a\"b"#, #"\u0041"#, "ü", "long key with : and , and {"].randomElement(
            using: &generator) ?? ""
        keys.append(key)
        text += "\"\(key)\"" + space() + ":" + space()
      }
      add(token: value())
    }
    text += space()
    (before, after) = (after, "")
    outside(plan.framing == .keyed ? "}" : "]")
    for _ in plan.path {
      for _ in 0..<Int.random(in: 0...2, using: &generator) {
        outside(",")
        member("t\(Int.random(in: 0...9, using: &generator))")
      }
      outside("}")
    }
    if plan.path.isEmpty { text += space() }
  }

  // The text outside the container is collected in `after` until the container ends.
  private mutating func outside(_ token: String) {
    text += space() + token
    after += token
  }

  private mutating func member(_ key: String) {
    outside("\"\(key)\"")
    outside(":")
    for token in tokens(depth: 2) { outside(token) }
  }

  private mutating func value(lines: Bool = false) -> String {
    let tokens = tokens(depth: Int.random(in: 0...3, using: &generator))
    return tokens.dropFirst().reduce(tokens[0]) { $0 + space(lines: lines) + $1 }
  }

  private mutating func space(lines: Bool = false) -> String {
    let spaces = lines ? ["", "", " ", "\t"] : ["", "", "", " ", "\n  ", "\r\n\t"]
    return spaces.randomElement(using: &generator) ?? ""
  }

  private mutating func tokens(depth: Int) -> [String] {
    let scalars = [
      "null", "true", "false", "0", "-1.50e3", "12345678901234567890", #""""#, #""a""#,
      #""\u00e9\\""#, #""] , } : \"x""#, "\"日本\"",
    ]
    let count = Int.random(in: 0...3, using: &generator)
    guard depth > 0 else { return [scalars.randomElement(using: &generator) ?? "0"] }
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: return [scalars.randomElement(using: &generator) ?? "0"]
    case 1:
      let elements = (0..<count).map { _ in tokens(depth: depth - 1) }
      return ["["] + elements.joined(separator: [","]) + ["]"]
    default:
      let members = (0..<count).map { number in
        ["\"m\(number)\"", ":"] + tokens(depth: depth - 1)
      }
      return ["{"] + members.joined(separator: [","]) + ["}"]
    }
  }
}
