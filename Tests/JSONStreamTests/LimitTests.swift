import JSONStream
import Testing

@Suite("Limits apply before memory is allocated")
struct LimitTests {
  private func limits(_ change: (inout JSONLimits) -> Void) -> JSONLimits {
    var limits = JSONLimits()
    change(&limits)
    return limits
  }

  private func check(
    _ document: String, _ limits: JSONLimits, offset: Int, says text: String
  ) throws {
    for size in [1, 64, Int.max] {
      let error = try #require(failure(of: Array(document.utf8), chunks: [size], limits: limits))
      #expect(error.kind == .limit)
      #expect(error.byteOffset == offset)
      #expect(error.reason.contains(text))
    }
  }

  @Test("a long key exceeds the limit of keys, not that of strings")
  func longKey() throws {
    let key = String(repeating: "k", count: 700)
    let document = "{\"\(key)\":\"v\",\"items\":[]}"
    try check(document, limits { $0.keyBytes = 100 }, offset: 1, says: "a key")
    #expect(
      failure(of: Array(document.utf8), chunks: [7], limits: limits { $0.stringBytes = 1 }) == nil)
  }

  @Test("a string or key over its limit is reported at its quote, with or without escapes")
  func escapes() throws {
    try check(
      #"{"items":[],"x":"\uE000t"}"#, limits { $0.stringBytes = 1 }, offset: 16, says: "string")
    try check(#"{"it\u0065ms":[]}"#, limits { $0.keyBytes = 4 }, offset: 1, says: "key")
    try check(#"[{"name":"\n\n\n"}]"#, limits { $0.stringBytes = 2 }, offset: 9, says: "string")
  }

  @Test(
    "a number over its limit is rejected for its length, whatever follows it",
    arguments: ["\u{FF}", "e", ".e5"])
  func longNumber(end: String) throws {
    let digits = String(repeating: "7", count: 1001)
    try check("{\"a\":\(digits)\(end)", JSONLimits(), offset: 5, says: "a number")
  }

  @Test("a misplaced token is rejected as misplaced, whatever its length")
  func misplaced() throws {
    let digits = String(repeating: "7", count: 1001)
    for document in ["{\"a\":1} \(digits)", "{\(digits)", "[{} \(digits)"] {
      for size in [1, 64, Int.max] {
        let error = try #require(failure(of: Array(document.utf8), chunks: [size]))
        #expect(error.kind == .syntax)
      }
    }
  }

  @Test("depth counts from the top of the document, in every shape")
  func depth() throws {
    let limits = limits { $0.depth = 4 }
    #expect(failure(of: Array(#"[{"a":[{}]}]"#.utf8), limits: limits) == nil)
    try check(#"[{"a":[[[]]]}]"#, limits, offset: 8, says: "4 levels")
    try check(#"{"items":[{"a":[[]]}]}"#, limits, offset: 16, says: "4 levels")
    try check(#"{"info":[[[{}]]],"items":[]}"#, limits, offset: 11, says: "4 levels")
    try check("{\"a\":1}\n{\"a\":[[[[]]]]}", limits, offset: 16, says: "4 levels")
  }

  @Test("a hundred thousand brackets are rejected at the first that exceeds the depth")
  func deep() throws {
    let open = String(repeating: "[", count: 100_000)
    let close = String(repeating: "]", count: 100_000)
    for document in [open, open + close, "[{\"a\":" + open, "[{\"a\":" + open + close + "}]"] {
      let error = try #require(failure(of: document))
      #expect(error.kind == .limit)
      #expect(error.byteOffset == (document.hasPrefix("[{") ? 132 : 128))
    }
  }

  @Test("records, strings, keys, numbers and lists have limits")
  func sizes() throws {
    let record = limits { $0.recordBytes = 20 }
    #expect(failure(of: Array(#"[{"a":"0123456789ab"}]"#.utf8), limits: record) == nil)
    try check(#"[{"a":"0123456789abc"}]"#, record, offset: 1, says: "20 bytes")
    try check("{\"a\":1}\n{\"a\":\"0123456789abc\"}\n", record, offset: 8, says: "20 bytes")
    try check(#"[{},{"a":"0123456789abcdefghijklmnop"#, record, offset: 4, says: "20 bytes")
    try check(#"[{"name":"abcd"}]"#, limits { $0.stringBytes = 3 }, offset: 9, says: "string")
    try check(#"[{"abcd":1}]"#, limits { $0.keyBytes = 3 }, offset: 2, says: "key")
    try check(#"[{"a":12345}]"#, limits { $0.numberBytes = 4 }, offset: 6, says: "number")
  }

  @Test("an earlier fault wins over a record that is too long")
  func earlierFault() throws {
    let limits = limits { $0.recordBytes = 20 }
    let error = try #require(
      failure(of: Array(#"[{"a":tru, "b":"0123456789abcdefgh"#.utf8), limits: limits))
    #expect(error.kind == .syntax)
    #expect(error.byteOffset == 6)
  }

  @Test("the fields next to the records are preserved up to their limit")
  func siblings() throws {
    let limits = limits { $0.siblingBytes = 40 }
    #expect(failure(of: Array(#"{"a":"0123456789","items":[]}"#.utf8), limits: limits) == nil)
    let long = #"{"items":[{}],"a":"0123456789012345678901234567890"}"#
    let error = try #require(failure(of: Array(long.utf8), limits: limits))
    #expect(error.kind == .limit && error.reason.contains("beside the records"))
  }

  @Test(
    "a rejected line is reported before its end, unless it may be skipped",
    arguments: [
      ("\"" + String(repeating: "x", count: 2_000), JSONError.Kind.limit), ("\u{0B}", .syntax),
    ])
  func endlessLine(rest: String, kind: JSONError.Kind) throws {
    let consumer = CollectingConsumer()
    var options = JSONOptions()
    options.limits.recordBytes = 1_000
    let reader = RecordReader(consumer: consumer, file: "test", options: options)
    try reader.feed(Array("{\"name\":\"a\"}\n{\"name\":\"b\"}\n{\"name\":".utf8).span.bytes)
    let error = #expect(throws: JSONError.self) { try reader.feed(Array(rest.utf8).span.bytes) }
    #expect(error?.kind == kind)
    #expect(error?.record == 3)
    #expect(consumer.names == ["a", "b"])
  }

  @Test("long records share one memory budget for any number of lanes", arguments: [2, 8])
  func bytesInFlight(lanes: Int) throws {
    let name = String(repeating: "n", count: 700_000)
    let document =
      "[" + Array(repeating: "{\"name\":\"\(name)\"}", count: 30).joined(separator: ",") + "]"
    let consumer = CollectingConsumer()
    var options = JSONOptions()
    options.lanes = lanes
    try read(Array(document.utf8), chunks: [64 << 10], into: consumer, options: options)
    #expect(consumer.names == Array(repeating: name, count: 30))
    // Two in flight by their bytes, and the one that is being filled.
    #expect(consumer.batchCount <= 3)
  }
}
