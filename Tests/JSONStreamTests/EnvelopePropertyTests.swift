import JSONStream
import TestSupport
import Testing

/// The property on which the design depends: a document is valid exactly if its envelope and every
/// record are, and the first fault is found at the same byte.
@Suite("Envelope parser and lanes against one handle over the whole document")
struct EnvelopePropertyTests {
  /// The result of one handle for the whole document in one chunk, after input validation.
  private func reference(_ document: [UInt8]) -> JSONError? {
    failure(of: document, framing: .none)
  }

  @Test(
    "the two-byte placeholder of a record hides no fault",
    arguments: [
      #"[-{"a":1}]"#, "[1{}]", "2.{}", "[{\"a\":1},\n]", #"[{"a":1}{"b":2}]"#, #"[{"a":1},,{}]"#,
      #"[{"a":1}"x"]"#, #"{"items":[-{"a":1}]}"#, #"{"items":[{"a":1},]}"#, #"[tru{"a":1}]"#,
    ])
  func placeholder(document: String) throws {
    let bytes = Array(document.utf8)
    let expected = try #require(reference(bytes))
    for size in [1, 2, 3, 7, Int.max] {
      let found = try #require(failure(of: bytes, chunks: [size], skipping: [.schema]))
      #expect(found.byteOffset == expected.byteOffset, "\(document) in chunks of \(size)")
    }
  }

  @Test("a trailing comma is rejected wherever a batch ends")
  func trailingCommaAtEveryCut() throws {
    let document = Array("[{\"a\":1},\n {\"b\":[2,3]},\n]".utf8)
    for cut in 1..<document.count {
      let found = try #require(failure(of: document, chunks: [cut, Int.max]))
      #expect(found.byteOffset == document.count - 1)
    }
  }

  @Test("mutated documents get the same verdict at the same byte", arguments: 0..<8)
  func mutations(part: Int) {
    var generator = SeededGenerator(seed: UInt64(part))
    var refused = 0
    for _ in 0..<2_500 {
      var document = Array((Self.seeds.randomElement(using: &generator) ?? "").utf8)
      Self.mutate(&document, using: &generator)
      let expected = reference(document)
      if expected != nil { refused += 1 }
      let sizes = (0..<4).map { _ in Int.random(in: 1...64, using: &generator) }
      compare(document, chunks: sizes, expected)
      compare(document, chunks: [Int.max], expected)
      // Starting the threads of two lanes takes longer than reading such a document.
      if refused.isMultiple(of: 8) { compare(document, chunks: sizes, lanes: 2, expected) }
    }
    // Both kinds of document must have been tried.
    #expect(refused > 500 && refused < 2_400)
  }

  private func compare(
    _ document: [UInt8], chunks: [Int], lanes: Int = 1, _ expected: JSONError?
  ) {
    let found = failure(of: document, chunks: chunks, skipping: [.schema], lanes: lanes)
    let text = String(decoding: document, as: UTF8.self)
    if let found, found.kind == .shape {
      // A document without records is rejected before a later syntax fault is reached.
      #expect((expected?.byteOffset ?? Int.max) >= found.byteOffset, "\(text)")
      return
    }
    if isLines(document), expected?.byteOffset != found?.byteOffset { return }
    #expect(found?.byteOffset == expected?.byteOffset, "\(text) in chunks of \(chunks)")
    #expect(found?.line == expected?.line, "\(text)")
    #expect(found?.column == expected?.column, "\(text)")
  }

  // Several values on lines are valid for the reader, but not for the reference.
  private func isLines(_ document: [UInt8]) -> Bool {
    document.first == 0x7B && document.contains(0x0A)
  }

  static let seeds = [
    #"[{"name":"a","tags":["x","y"]},{"name":"b \"q\" \\","n":-1.5e3},  {"x":{"y":[{}]}}]"#,
    "[\n  {\"name\": \"São\", \"tags\": []},\n  {\"name\": \"\\ud83d\\ude00\"}\n]\n",
    #"{"info":{"next":"u","n":[1,2]},"items":[{"name":"a"},{"name":"b"}],"total":2}"#,
    #"{"name":"one","tags":["t"],"by":{"id":"7"}}"#,
    #"[[1,2],[{"a":null}],{"a":true,"b":false}]"#,
    "[]", "{}", #"{"items":[]}"#, "  [ { } , { } ]  ", #"["a",{"b":1},2]"#,
  ]

  private static let alphabet =
    Array("{}[],:\"\\ \n\ttrufalsenu0123456789.eE+-/abc\u{0B}\u{0C}".utf8)
    + [
      0x00, 0x1F, 0x7F, 0x80, 0xBF, 0xC0, 0xC3, 0xA9, 0xE2, 0x82, 0xAC, 0xED, 0xA0, 0xF0, 0x9F,
      0xF5, 0xFF,
    ]

  static func mutate(_ document: inout [UInt8], using generator: inout SeededGenerator) {
    for _ in 0..<Int.random(in: 0...3, using: &generator) where !document.isEmpty {
      let offset = Int.random(in: 0..<document.count, using: &generator)
      let byte = alphabet.randomElement(using: &generator) ?? 0
      switch Int.random(in: 0..<5, using: &generator) {
      case 0: document[offset] = byte
      case 1: document.insert(byte, at: offset)
      case 2: document.remove(at: offset)
      case 3: document.removeSubrange(offset...)
      default:
        let end = min(document.count, offset + Int.random(in: 1...12, using: &generator))
        document.insert(contentsOf: document[offset..<end], at: offset)
      }
    }
  }
}
