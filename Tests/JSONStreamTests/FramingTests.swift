import JSONStream
import Testing

@Suite("Locating the records of a document")
struct FramingTests {
  private func consumed(
    _ document: String, chunks: [Int] = [Int.max], skipping: Set<JSONError.Kind> = []
  ) throws -> CollectingConsumer {
    let consumer = CollectingConsumer()
    consumer.skipped = skipping
    try read(Array(document.utf8), chunks: chunks, into: consumer)
    return consumer
  }

  @Test("a top-level array yields its objects in order with their selected values")
  func array() throws {
    let document = #" [ {"name":"a","x":{"name":"no"}} , {"tags":["t","u"],"name":"é\n"} ] "#
    for size in [1, 5, Int.max] {
      let consumer = try consumed(document, chunks: [size])
      #expect(consumer.shape == .array)
      #expect(consumer.names == ["a", "é\n"])
      #expect(consumer.tags == [[], ["t", "u"]])
      #expect(consumer.raw.last == #"{"tags":["t","u"],"name":"é\n"}"#)
    }
  }

  @Test("a wrapped array is found under a known key, and the fields next to it are preserved")
  func wrapped() throws {
    let document = """
      {"info": {"count": 2, "next": "https:\\/\\/e.com\\u002Fp?page=2", "ok": [true, null, -1.50]},
       "results": [ {"name": "a"}, {"name": "b"} ], "after": "ü"}
      """
    for size in [1, 7, Int.max] {
      let consumer = CollectingConsumer()
      let reader = RecordReader(consumer: consumer, file: "test")
      let bytes = Array(document.utf8)
      var start = 0
      while start < bytes.count {
        let end = start + min(size, bytes.count - start)
        try reader.feed(bytes.span.bytes.extracting(start..<end))
        start = end
      }
      try reader.finish()
      #expect(consumer.shape == .wrapped(key: "results"))
      #expect(consumer.names == ["a", "b"])
      let envelope = try #require(reader.envelope)
      let text = String(decoding: envelope.text, as: UTF8.self)
      let expected = #"{"info":{"count":2,"next":"https://e.com/p?page=2","ok":[true,null,-1.50]},"#
      #expect(text == expected + #""results":[],"after":"ü"}"#)
      #expect(Array(envelope.text[..<envelope.insertion]).last == UInt8(ascii: "["))
    }
  }

  @Test("the key of the records is matched after its escapes are decoded")
  func escapedKey() throws {
    let consumer = try consumed(#"{"r\u0065sults":[{"name":"a"}]}"#)
    #expect(consumer.shape == .wrapped(key: "results"))
    #expect(consumer.names == ["a"])
  }

  @Test("a nested array under a known key is not the array of records")
  func innerArray() throws {
    let consumer = try consumed(#"{"x":{"items":[{"name":"no"}]},"items":[{"name":"yes"}]}"#)
    #expect(consumer.names == ["yes"])
  }

  @Test("a second array of records is rejected at its opening bracket")
  func secondArray() throws {
    let error = try #require(failure(of: #"{"items":[{}],"items":[]}"#))
    #expect(error.kind == .shape)
    #expect(error.byteOffset == 22)
  }

  @Test("a value after the first line feed distinguishes lines from a single object")
  func lines() throws {
    let document =
      "{\"name\":\"a\"}\n\n  {\"name\":\"b\",\"tags\":[\"\\u0041\"]} \r\n{\"name\":\"c\"}"
    for size in [1, 4, Int.max] {
      let consumer = try consumed(document, chunks: [size])
      #expect(consumer.shape == .lines)
      #expect(consumer.names == ["a", "b", "c"])
      #expect(consumer.tags[1] == ["A"])
    }
  }

  @Test("one object is one record, with or without a trailing line feed")
  func single() throws {
    for document in [#"{"name":"only"}"#, "\n{\"name\":\"only\"}\n\n"] {
      let consumer = try consumed(document)
      #expect(consumer.shape == .single)
      #expect(consumer.names == ["only"])
    }
  }

  @Test("a record that spans lines is rejected at the end of its first line")
  func brokenLine() throws {
    let error = try #require(failure(of: "{\"name\":\"a\"}\n{\"name\":\n\"b\"}\n"))
    #expect(error.kind == .truncated)
    #expect(error.line == 2)
    #expect(error.record == 2)
  }

  @Test("two values on one line are rejected at the second")
  func crowdedLine() throws {
    let error = try #require(failure(of: "{\"a\":1}\n{\"b\":2}{\"c\":3}\n"))
    #expect(error.kind == .syntax)
    #expect(error.byteOffset == 15)
  }

  @Test("a leading byte order mark is skipped and counted")
  func byteOrderMark() throws {
    for size in [1, 2, Int.max] {
      #expect(try consumed("\u{FEFF}[{\"name\":\"a\"}]", chunks: [size]).names == ["a"])
    }
    let error = try #require(failure(of: "\u{FEFF}[{]"))
    #expect(error.byteOffset == 5)
    let second = try #require(failure(of: "\u{FEFF}\u{FEFF}[]"))
    #expect(second.byteOffset == 3)
  }

  @Test("scalars and arrays among the records are schema errors, not syntax errors")
  func nonRecordElements() throws {
    let consumer = try consumed(
      #"[{"name":"a"}, null, "x", [1], {"name":"b"}]"#, skipping: [.schema])
    #expect(consumer.names == ["a", "b"])
    #expect(consumer.rejected.map(\.raw) == ["null", "\"x\"", "[1]"])
    #expect(consumer.rejected.map(\.error.record) == [2, 3, 4])
    #expect(consumer.rejected.map(\.error.pointer) == ["/1", "/2", "/3"])
    #expect(consumer.rejected.map(\.error.byteOffset) == [15, 21, 26])
  }

  @Test("empty arrays have a shape, and white space alone is a truncated document")
  func empty() throws {
    #expect(try consumed("[]").shape == .array)
    #expect(try consumed(#"{"items":[]}"#).shape == .wrapped(key: "items"))
    let error = try #require(failure(of: " \n "))
    #expect(error.kind == .truncated)
    #expect(error.byteOffset == 3)
  }

  @Test("bad lines are skipped individually and the other lines are read")
  func badLines() throws {
    var document = Array(
      "{\"name\":\"a\"}\n{\"name\":tru}\n{\"name\":\"b\"}\n5\n\"é\n{\"name\":\"c\"}\n".utf8)
    document += Array("{\"name\":\"x".utf8) + [0xFF] + Array("\"}\n{\"name\":\"d\"}\n".utf8)
    document += Array("{\"n\":\"\\ud800\"}\n{\"name\":\"e\"}\n{\"name\":".utf8)
    for chunks in [[1], [3, 11], [Int.max]] {
      let consumer = CollectingConsumer()
      consumer.skipped = [.syntax, .schema, .encoding, .surrogate, .truncated]
      try read(document, chunks: chunks, into: consumer)
      #expect(consumer.names == ["a", "b", "c", "d", "e"])
      #expect(
        consumer.rejected.map(\.error.kind)
          == [.syntax, .schema, .truncated, .encoding, .surrogate, .truncated])
      #expect(consumer.rejected.map(\.error.line) == [2, 4, 5, 7, 9, 11])
      #expect(consumer.rejected.map(\.error.record) == [2, 4, 5, 7, 9, 11])
    }
  }
}
