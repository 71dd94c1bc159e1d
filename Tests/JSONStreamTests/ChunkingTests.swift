import JSONStream
import Testing

@Suite("Verdicts and positions do not depend on chunks or lanes")
struct ChunkingTests {
  private static let everyKind: Set<JSONError.Kind> = [
    .schema, .syntax, .truncated, .encoding, .surrogate, .limit,
  ]

  private func agree(
    _ document: [UInt8], _ limits: JSONLimits = JSONLimits(), framing: RecordReader.Framing,
    skipping: Set<JSONError.Kind> = []
  ) {
    let whole = failure(of: document, limits: limits, framing: framing, skipping: skipping)
    for (size, lanes) in [(1, 1), (2, 1), (3, 1), (7, 1), (1, 3), (7, 2), (.max, 2)] {
      let found = failure(
        of: document, chunks: [size], limits: limits, framing: framing, skipping: skipping,
        lanes: lanes)
      #expect(found?.kind == whole?.kind, "in chunks of \(size)")
      #expect(found?.byteOffset == whole?.byteOffset, "in chunks of \(size)")
      #expect(found?.line == whole?.line, "in chunks of \(size)")
      #expect(found?.column == whole?.column, "in chunks of \(size)")
      #expect(found?.pointer == whole?.pointer, "in chunks of \(size)")
      #expect(found?.reason == whole?.reason, "in chunks of \(size)")
    }
  }

  @Test(
    "a truncated character before an escape is rejected at every offset",
    arguments: [[0xFF], [0xF0], [0xF0, 0x9F], [0xE2], [0xC3]] as [[UInt8]])
  func escapeBehindBadCharacter(bad: [UInt8]) throws {
    let start = Array(#"[{"name":""#.utf8)
    for padding in 0..<130 {
      var document = start + [UInt8](repeating: 0x61, count: padding) + bad
      let offset = document.count - bad.count
      document += Array(#"\n"#.utf8) + [UInt8](repeating: 0x61, count: 130) + Array(#""}]"#.utf8)
      let error = try #require(failure(of: document), "\(bad) at \(offset)")
      #expect(error.kind == .encoding)
      #expect(error.byteOffset == offset)
    }
  }

  @Test("a value after an object is rejected, even if a line follows")
  func valueBehindObject() {
    for text in ["{\"a\":1} 2\n{\"b\":2}\n", "{\"a\":1} \"x\n{\"b\":2}\n", "{}2\r\n{}"] {
      agree(Array(text.utf8), framing: .records)
      agree(Array(text.utf8), framing: .records, skipping: Self.everyKind)
    }
  }

  @Test(
    "a malformed number is not reported as a truncated one",
    arguments: ["-0.0E.1", "1..5", "1.e5", "-", "1e+-1"])
  func malformedNumbers(number: String) throws {
    let document = Array("{\"a\":\(number),\"b\":1}".utf8)
    agree(document, framing: .none)
    agree(document, framing: .records)
    #expect(failure(of: document, chunks: [1])?.kind == .syntax)
  }

  @Test("limits of head, sibling fields and lines are reported at the same byte")
  func limits() {
    var record = JSONLimits()
    record.recordBytes = 20
    for text in [
      #"{"info":"0123456789012345","items":[{}]}"#, #"{"name":"0123456789012345"}"#,
      #"{"name":"0123456789012345"} x"#, "{}\n{}\n" + String(repeating: " ", count: 30) + "{}\n",
      "{}\n{}" + String(repeating: " ", count: 30) + "\n{}\n",
    ] {
      agree(Array(text.utf8), record, framing: .records)
    }
    var sibling = JSONLimits()
    sibling.siblingBytes = 30
    agree(
      Array(#"{"items":[{}],"a":"0123456789012345","b":["x","y","z"],"c":tru}"#.utf8), sibling,
      framing: .records)
  }

  @Test("the length of a string counts unescaped bytes, whether it has ended or not")
  func escapedStrings() {
    var limits = JSONLimits()
    limits.stringBytes = 6
    limits.keyBytes = 60
    for text in [
      #"["\u00e9\u00e9\u00e9"]"#, #"{"a":"\u00e9","items":[]}"#, #"{"\u0061bcdefgh":1}"#,
    ] {
      agree(Array(text.utf8), limits, framing: .none)
      agree(Array(text.utf8), limits, framing: .records, skipping: [.schema])
    }
  }

  @Test("the limits of a long string outside the records are reported at the same byte")
  func longStrings() throws {
    var limits = JSONLimits()
    limits.siblingBytes = 1_000
    limits.stringBytes = 1_500
    let characters = ["a", #"\u00e9"#, #"\/"#, #"\ud83d\ude00"#, "é"]
    for (character, size) in zip(characters, [1, 2, 1, 4, 2]) {
      for bytes in [900, 1_100, 1_600] {
        let value = String(repeating: character, count: bytes / size)
        for start in [#"{"items":[],"x":""#, #"{"items":[],"x":["y",""#, #"[{},""#] {
          let isSibling = start.hasPrefix("{")
          let isLong = bytes > (isSibling ? 1_000 : 1_500)
          for end in ["\"", "", "\u{1}", #"\u12g4"#] {
            let document = Array((start + value + end).utf8)
            agree(document, limits, framing: .records, skipping: [.schema])
            let error = try #require(failure(of: document, limits: limits, skipping: [.schema]))
            #expect((error.kind == .limit) == isLong, "\(start) \(bytes) \(end): \(error)")
            if isLong { #expect(error.byteOffset == start.utf8.count - 1) }
          }
        }
      }
    }
  }

  @Test("replacing lone surrogates in a long string leaves the rest unchanged")
  func longStringWithHalfSurrogates() throws {
    let value = String(repeating: #"\ud800x"#, count: 2_000)
    let document = Array("{\"items\":[{}],\"x\":\"\(value)\"}".utf8)
    for chunk in [1, 7, 600, Int.max] {
      let consumer = CollectingConsumer()
      var options = JSONOptions()
      options.loneSurrogates = .replace
      try read(document, chunks: [chunk], into: consumer, options: options)
      #expect(consumer.raw.count == 1)
    }
  }

  @Test("an error in a record after a scalar has the record's number and path")
  func recordBehindScalar() throws {
    for text in [#"[1,{"a":tru"#, #"[1,{"a":1"#, "[1,{\"a\":\u{0C}1}]"] {
      let error = try #require(failure(of: Array(text.utf8), skipping: [.schema]))
      #expect(error.record == 2)
      #expect(error.pointer == "/1/a", "\(text): \(error.reason)")
    }
  }

  @Test("a value over its limit is reported with its own path")
  func pathOfLongValue() throws {
    var limits = JSONLimits()
    limits.numberBytes = 3
    let error = try #require(failure(of: Array(#"[{"a":[1,12345]}]"#.utf8), limits: limits))
    #expect(error.pointer == "/0/a/1")
  }

  @Test("a line feed in a discarded part of a record still counts as a line")
  func lostLineFeed() throws {
    // After the first chunk, the line feed is in the buffer and already counted. The second chunk
    // displaces it and contains none.
    let filler = String(repeating: #"{"a":1},"#, count: 9_000)
    let head = "[" + filler + "{\n\"name\":"
    let text = head + "\"" + String(repeating: "x", count: 100_000) + "\"}," + filler + "?"
    let document = Array(text.utf8)
    let feed = try #require(document.firstIndex(of: 0x0A))
    for chunks in [[head.utf8.count, document.count - head.utf8.count - 1], [5_000], [Int.max]] {
      let error = try #require(failure(of: document, chunks: chunks))
      #expect(error.line == 2)
      #expect(error.column == document.count - 1 - feed)
    }
  }

  @Test("a list over its limit is reported at its first excess element of any type")
  func longLists() throws {
    var limits = JSONLimits()
    limits.listElements = 3
    for last in [#""d""#, #""\u0064""#, "{}", "[[]]", "12", "null"] {
      let text = "[{\"tags\":[\"a\",\"b\",\"c\" , \(last)]}]"
      let error = try #require(failure(of: Array(text.utf8), limits: limits), "\(last)")
      #expect(error.kind == .limit)
      #expect(error.byteOffset == 24, "\(last)")
      #expect(error.pointer == "/0/tags/3", "\(last)")
    }
  }

  @Test("a scalar after joined records is reported at its first byte")
  func scalarBehindJoinedRecords() throws {
    for size in [1, 4, Int.max] {
      let consumer = CollectingConsumer()
      consumer.skipped = [.schema]
      try read(Array("[{},{\"a\":1},{}, 12 ,{}]".utf8), chunks: [size], into: consumer)
      let rejected = try #require(consumer.rejected.first)
      #expect(rejected.error.byteOffset == 16)
      #expect(rejected.raw == "12")
    }
  }

  @Test("an array among lines is reported at its first byte")
  func arrayAmongLines() throws {
    // After the rejected line, its lane has a key that extends far into the next line.
    let text = "{}\n{\"a\":1,\"b:null}\n[{},\"x\",null]\n"
    for size in [1, 4, Int.max] {
      let consumer = CollectingConsumer()
      consumer.skipped = Self.everyKind
      try read(Array(text.utf8), chunks: [size], into: consumer)
      let error = try #require(consumer.rejected.last?.error)
      #expect(error.byteOffset == 19)
      #expect(error.pointer == "")
    }
  }
}
