import JSONStream
import TestSupport
import Testing

@Suite("A path to a value of a record")
struct JSONPathTests {
  private func find(_ path: JSONPath, _ text: String, takingFirst: Bool = false) throws -> String? {
    let bytes = Array(text.utf8)
    return try path.find(in: bytes.span.bytes, takingFirst: takingFirst).map {
      String(decoding: bytes[$0], as: UTF8.self)
    }
  }

  private static let record =
    #"{"a":{"b":1,"x.y":[10,{"k":"v"}]},"a.b":2,"":3,"0":4,"l":[[5],6],"~/":7,"\u0063":8}"#

  @Test(
    "is written with dots and brackets, or as a JSON Pointer",
    arguments: [
      ("a.b", "1"), (#"a."x.y"[0]"#, "10"), (#"a."x.y"[1].k"#, #""v""#), (#""a.b""#, "2"),
      (#""""#, "3"), ("0", "4"), ("l[0][0]", "5"), ("l[1]", "6"), ("~/", "7"), ("c", "8"),
      ("/a/b", "1"), ("/a/x.y/1/k", #""v""#), ("/a.b", "2"), ("/", "3"), ("/0", "4"),
      ("/l/0/0", "5"), ("/~0~1", "7"), ("/c", "8"), ("", record), (#""\u0061".b"#, "1"),
    ])
  func found(path: String, value: String) throws {
    #expect(try find(JSONPath(path), Self.record) == value)
  }

  @Test(
    "has keys that begin or end with a combining mark or a line break",
    arguments: ["\u{485}b", "~\u{301}", "/\u{301}", "\n", "\r", "\u{200D}~1", "a\r", "~01"])
  func joinedCharacters(key: String) throws {
    let path = JSONPath(keys: ["\u{301}\r", key, "\n"])
    let pointer = try JSONPath(path.text)
    let keys = try [pointer, path].map { path in try path.objectKeys().map { Array($0.utf8) } }
    #expect(keys[0] == keys[1])
    var literal: [UInt8] = []
    JSONText.appendString(key, to: &literal)
    let member = String(decoding: literal, as: UTF8.self)
    #expect(try find(pointer, "{\"\u{301}\\r\":{\(member):{\"\\n\":1}}}") == "1")
  }

  @Test(
    "finds nothing if the value is missing",
    arguments: [
      "b", "a.c", "a[0]", "l[2]", "l.0", "a.b.c", "/l/2", "/l/00", "/l/-", "/a/b/c", "//",
    ])
  func absent(path: String) throws {
    #expect(try find(JSONPath(path), Self.record) == nil)
  }

  @Test("finds the last value of a repeated key, or the first on request")
  func repeated() throws {
    let text = #"{"a":{"b":1},"a":{"b":2,"b":3}}"#
    #expect(try find(JSONPath("a.b"), text) == "3")
    #expect(try find(JSONPath("a.b"), text, takingFirst: true) == "1")
    #expect(try find(JSONPath("a.c"), #"{"a":{"c":1},"a":2}"#) == nil)
  }

  @Test(
    "that is malformed is refused, with the character at fault",
    arguments: [
      (".a", 0), ("a.", 2), ("a..b", 2), ("a[", 1), ("a[x]", 2), ("a[01]", 2), ("a[-1]", 2),
      ("a]", 1), (#"a"b""#, 1), (#""a"#, 0), (#""a"b"#, 3), ("a[0]b", 4), ("/a~", 2), ("/a/~2", 3),
    ])
  func malformed(path: String, offset: Int) throws {
    let fault = try #require(throws: JSONPath.Fault.self) { try JSONPath(path) }
    #expect(fault.byteOffset == offset)
    #expect(fault.description.contains("at character \(offset + 1): "))
  }

  @Test("a pointer without its slash is refused")
  func pointer() throws {
    #expect(throws: JSONPath.Fault.self) { try JSONPath(pointer: "a/b") }
    #expect(try JSONPath(pointer: "").steps.isEmpty)
  }

  @Test("that has [] is parsed, but cannot find a single value")
  func anyElement() throws {
    let path = try JSONPath("a[].b[0]")
    #expect(path.hasAnyElement)
    #expect(path.steps == [.member([0x61]), .anyElement, .member([0x62]), .element(0)])
    let fault = try #require(throws: JSONPath.Fault.self) {
      try find(path, #"{"a":[{"b":[1]}]}"#)
    }
    #expect(fault.byteOffset == 1)
  }

  @Test("finds the same values as a walk over the tree, for random documents", arguments: 0..<8)
  func random(part: UInt64) throws {
    var documents = RandomDocument(seed: part)
    var random = SeededGenerator(seed: part)
    var found = 0
    for _ in 0..<1_000 {
      let text = Array(documents.next().utf8)
      let tree = try JSONTree(parsing: text.span.bytes)
      let tokens = Self.tokens(tree, using: &random)
      let path = try JSONPath(pointer: tokens.map { "/" + $0.jsonPointerEscaped }.joined())
      let expected = tree.value(at: tokens)
      let range = try path.find(in: text.span.bytes, takingFirst: false)
      try #require((range == nil) == (expected == nil))
      guard let range else { continue }
      found += 1
      let value = try JSONTree(parsing: text.span.bytes.extracting(range))
      try #require(value == expected)
    }
    #expect(found > 400 && found < 1_000)
  }

  /// The tokens of a random walk, which sometimes ends at a missing value.
  private static func tokens(
    _ tree: JSONTree, using random: inout SeededGenerator
  ) -> [String] {
    var tokens: [String] = []
    var value: JSONTree? = tree
    while let current = value, Int.random(in: 0..<5, using: &random) > 0 {
      switch current {
      case .object(let members) where !members.isEmpty:
        tokens.append(members.randomElement(using: &random)?.key ?? "")
      case .array(let elements) where !elements.isEmpty:
        tokens.append("\(Int.random(in: 0...elements.count, using: &random))")
      default:
        if Bool.random(using: &random) { tokens.append("a") }
        return tokens
      }
      value = tree.value(at: tokens)
    }
    return tokens
  }
}
