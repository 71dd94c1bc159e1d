import JSONStream
import Testing

@Suite("The location of an error")
struct JSONErrorTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var document: [UInt8]
    var kind: JSONError.Kind
    var offset: Int
    var pointer: String
    var testDescription: String { String(decoding: document, as: UTF8.self) }

    init(_ document: String, _ kind: JSONError.Kind, _ offset: Int, _ pointer: String) {
      self.init(Array(document.utf8), kind, offset, pointer)
    }

    init(_ document: [UInt8], _ kind: JSONError.Kind, _ offset: Int, _ pointer: String) {
      self.document = document
      self.kind = kind
      self.offset = offset
      self.pointer = pointer
    }
  }

  static let cases = [
    Case(#"[{"a":1},]"#, .syntax, 9, "/1"),
    Case(#"[{"a":1,}]"#, .syntax, 8, "/0"),
    Case(#"[{"a":1,"b\q":2}]"#, .syntax, 10, "/0"),
    Case(#"[{"a":1 "b":2}]"#, .syntax, 8, "/0/a"),
    Case(Array(#"[{"a":1,"b"#.utf8) + [0xFF] + Array(#"":2}]"#.utf8), .encoding, 10, "/0"),
    Case(#"[{"a":1}"#, .truncated, 8, "/1"),
    Case(#"[{"a":"xyz"#, .truncated, 10, "/0/a"),
    Case(#"[{"a":NaN}]"#, .syntax, 6, "/0/a"),
    Case(#"[{"a":01}]"#, .syntax, 7, "/0/a"),
    Case(#"[{"a":nul}]"#, .syntax, 6, "/0/a"),
    Case(#"[{"a":"x\qy"}]"#, .syntax, 8, "/0/a"),
    Case(#"[{"a":"\u12G4"}]"#, .syntax, 7, "/0/a"),
    Case("[{\"a\":\"x\ty\"}]", .syntax, 8, "/0/a"),
    Case("[{\"a\":\u{0C}1}]", .syntax, 6, "/0/a"),
    Case("[{\"a\":\"\u{0B}\"}]", .syntax, 7, "/0/a"),
    Case(#"[{"a":"\ud800"}]"#, .surrogate, 7, "/0/a"),
    Case(#"[{"a":"\ud83d\u0041"}]"#, .surrogate, 7, "/0/a"),
    Case(#"[{"a":"\ude00"}]"#, .surrogate, 7, "/0/a"),
    Case(Array(#"[{"a":""#.utf8) + [0xC0, 0xAF] + Array(#""}]"#.utf8), .encoding, 7, "/0/a"),
    Case(Array(#"[{"a":""#.utf8) + [0xED, 0xA0, 0x80] + Array(#""}]"#.utf8), .encoding, 7, "/0/a"),
    Case(#"[{"a":1}] "abc"#, .syntax, 10, ""),
    Case(#"[{"a":1}]]"#, .syntax, 9, ""),
    Case(#"[{'a':1}]"#, .syntax, 2, "/0"),
    Case(#"[{"a" 1}]"#, .syntax, 6, "/0/a"),
    Case(#"[/* no */{"a":1}]"#, .syntax, 1, "/0"),
    Case(#"{"results":[{"b/c":{"~":[1,}]}}]}"#, .syntax, 27, "/results/0/b~1c/~0/1"),
    Case("", .truncated, 0, ""),
    Case(#"["#, .truncated, 1, "/0"),
  ]

  @Test("kind, offset and path do not depend on chunks", arguments: cases)
  func location(_ example: Case) throws {
    for size in [1, 2, 5, Int.max] {
      let error = try #require(failure(of: example.document, chunks: [size]))
      #expect(error.kind == example.kind)
      #expect(error.byteOffset == example.offset)
      #expect(error.pointer == example.pointer)
    }
  }

  @Test("the description has line, column and record, and there is an excerpt")
  func description() throws {
    let document = "[\n  {\"name\": \"a\"},\n  {\"name\": \"b\" \"x\"}\n]"
    let error = try #require(failure(of: document))
    #expect(error.line == 3)
    #expect(error.column == 16)
    #expect(error.record == 2)
    #expect(error.excerpt.contains("\"b\" \"x\""))
    #expect(
      "\(error)"
        == "test:3:16: expected ',' or '}', found '\"' (byte 34, record 2, /1/name)")
  }

  @Test("lines are counted across megabytes of discarded input")
  func linesFarDown() throws {
    var document = Array("[\n".utf8)
    for _ in 0..<60_000 { document += Array("{\"name\": \"a\",\n\n \"tags\": []},\n".utf8) }
    let start = document.count
    document += Array("   {\"name\":: 1}]".utf8)
    for chunks in [[4096, 100_001], [Int.max]] {
      let error = try #require(failure(of: document, chunks: chunks))
      #expect(error.byteOffset == start + 11)
      #expect(error.line == 180_002)
      #expect(error.column == 12)
      #expect(error.record == 60_001)
      #expect(error.pointer == "/60000/name")
    }
  }

  @Test(
    "a document without records is reported at its start, even if that was discarded",
    arguments: [
      ("\"x\"\n", 0, 1, 1), ("\n\n  5\n\n", 4, 3, 3), (" true", 1, 1, 2),
      ("\n \"" + String(repeating: "é\\n", count: 1 << 20) + "\"\n", 2, 2, 2),
    ])
  func withoutRecords(document: String, offset: Int, line: Int, column: Int) throws {
    for chunks in [[1 << 16], [3, 100_001], [Int.max]] {
      let error = try #require(failure(of: Array(document.utf8), chunks: chunks))
      #expect(error.kind == .shape)
      #expect(error.byteOffset == offset)
      #expect(error.line == line)
      #expect(error.column == column)
    }
  }

  @Test("a value that the consumer rejects is reported with its first byte and path")
  func refused() throws {
    for document in [
      #"[{"name":"fine"},{"tags":["t"],"name" : "refuse me"}]"#,
      #"[{"name":"fine"},{"tags":["t"],"name" : "r\u0065fuse me"}]"#,
    ] {
      let error = try #require(failure(of: document))
      #expect(error.kind == .schema)
      #expect(error.byteOffset == 40)
      #expect(error.pointer == "/1/name")
    }
  }

  @Test("control characters of a payload do not reach a terminal")
  func control() throws {
    let error = try #require(failure(of: "[{\"\\u001b[31m\": x}]"))
    #expect(error.pointer.contains("\u{1B}"))
    #expect(!"\(error)".contains("\u{1B}"))
    let raw = try #require(failure(of: "[{\"a\": x\u{1B}[31m"))
    #expect(!raw.excerpt.contains("\u{1B}"))
  }
}
