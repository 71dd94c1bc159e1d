import TestSupport

/// Random JSON texts with repeated keys, escapes, white space and nesting.
struct RandomDocument {
  private var generator: SeededGenerator
  private static let keys = ["a", "b", "a.b", "", "0", "é", #"\u0061"#, #"q\"\\"#, "id", "~/"]
  private static let strings = [
    "", "x", "[1,{", #"\n\u20ac"#, #"\ud83d\ude00"#, "😀", #"end\\"#, "0123456789abcdef",
  ]
  private static let scalars = ["null", "true", "false", "0", "-1.5e3", "42", "123456789012345678"]
  private static let gaps = ["", "", " ", "\n", "\t\r\n  "]

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  mutating func next(depth: Int = 4) -> String {
    switch Int.random(in: 0..<(depth > 0 ? 6 : 2), using: &generator) {
    case 0: pick(Self.scalars)
    case 1: "\"\(pick(Self.strings))\""
    case 2, 3: container("[", "]", depth) { $0.next(depth: depth - 1) }
    default:
      container("{", "}", depth) {
        "\"\($0.pick(Self.keys))\"\($0.pick(Self.gaps)):" + $0.next(depth: depth - 1)
      }
    }
  }

  private mutating func pick(_ choices: [String]) -> String {
    choices.randomElement(using: &generator) ?? ""
  }

  private mutating func container(
    _ open: String, _ close: String, _ depth: Int, _ item: (inout RandomDocument) -> String
  ) -> String {
    var items: [String] = []
    for _ in 0..<Int.random(in: 0...5, using: &generator) {
      items.append(pick(Self.gaps) + item(&self) + pick(Self.gaps))
    }
    return open + items.joined(separator: ",") + (items.isEmpty ? pick(Self.gaps) : "") + close
  }
}
