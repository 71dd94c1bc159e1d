import CFeedScan
import TestSupport
import Testing

@testable @_spi(Records) import JSONStream

/// Replay accepts only what YAJL has accepted before, byte for byte, and writes the same tape.
@Suite("Validation by replay")
struct ReplayTests {
  /// Every kernel of this machine.
  static let kernels = [FEEDSCAN_SCALAR] + ScannerTests.kernels

  /// The result of reading a document once.
  private struct Outcome: Equatable {
    var error: JSONError?
    var names: [String?]
    var tags: [[String]]
    var raw: [String]
    var rejected: [JSONError]
  }

  private func outcome(
    of document: [UInt8], _ validation: JSONOptions.Validation,
    kernel: feedscan_kernel = feedscan_best_kernel(),
    duplicateKeys: JSONOptions.DuplicateKeys = .last, limits: JSONLimits = JSONLimits()
  ) -> (outcome: Outcome, counts: ValidationCounts) {
    let consumer = CollectingConsumer()
    consumer.skipped = [.schema, .syntax, .limit]
    var options = JSONOptions()
    options.validation = validation
    options.kernel = kernel
    options.duplicateKeys = duplicateKeys
    options.limits = limits
    options.lanes = 1
    // Most bytes are scanned in one pass.
    options.sliceBytes = 300
    let reader = RecordReader(consumer: consumer, file: "test", options: options)
    var failure: JSONError?
    do throws(JSONError) {
      try reader.feed(document.span.bytes)
      try reader.finish()
    } catch {
      failure = error
    }
    let outcome = Outcome(
      error: failure, names: consumer.names, tags: consumer.tags, raw: consumer.raw,
      rejected: consumer.rejected.map(\.error))
    return (outcome, reader.validationCounts)
  }

  private func array(_ records: [String]) -> [UInt8] {
    Array("[\(records.joined(separator: ","))]".utf8)
  }

  @Test("Swift and C agree on the layout of entries and bounds")
  func layout() {
    #expect(MemoryLayout<TapeEntry>.size == 16 && MemoryLayout<TapeEntry>.stride == 16)
    #expect(MemoryLayout<Range<Int>>.size == MemoryLayout<feedscan_range>.size)
    let bounds = [3..<7]
    bounds.withUnsafeBytes { bytes in
      #expect(bytes.load(as: Int.self) == 3)
      #expect(bytes.load(fromByteOffset: MemoryLayout<Int>.size, as: Int.self) == 7)
    }
  }

  @Test(
    "records that repeat are validated without YAJL, after a few of each form", arguments: kernels)
  func learning(kernel: feedscan_kernel) {
    let records = (0..<3_000).map { index in
      let tags = (0..<index % 4).map { #""tag \#($0 * index)""# }.joined(separator: ", ")
      let name =
        index % 7 == 0 ? "null" : #""Name \#(index)\#(index % 5 == 0 ? #"\n\u00e9"# : "")""#
      return #"{"id": \#(index), "name": \#(name), "tags": [\#(tags)], "by": {"id": "x\#(index)"}}"#
    }
    let (replayed, counts) = outcome(of: array(records), .replay, kernel: kernel)
    #expect(replayed == outcome(of: array(records), .yajl).outcome)
    #expect(replayed.raw == records)
    #expect(counts.replayed + counts.learned + counts.judged == records.count)
    #expect(counts.replayed > 2_980)
    #expect(outcome(of: array(records), .yajl).counts.replayed == 0)
  }

  @Test("keys outside the selection may differ in every record", arguments: kernels)
  func unselectedKeys(kernel: feedscan_kernel) {
    let records = (0..<2_000).map { index in
      #"{"name":"n\#(index)","key \#(index)":{"inner \#(index % 900)":true,"z":[1,\#(index)]},"x\#(index)":null}"#
    }
    let (replayed, counts) = outcome(of: array(records), .replay, kernel: kernel)
    #expect(replayed == outcome(of: array(records), .yajl).outcome)
    #expect(counts.replayed > 1_900)
  }

  @Test("a selected key is selected where replay has learned an unselected key", arguments: kernels)
  func selectedAmongUnselected(kernel: feedscan_kernel) {
    var records = (0..<500).map { #"{"key \#($0)":"value \#($0)"}"# }
    records += [#"{"name":"selected"}"#, #"{"tags":"selected"}"#, #"{"by":"selected"}"#]
    let (replayed, _) = outcome(of: array(records), .replay, kernel: kernel)
    #expect(replayed == outcome(of: array(records), .yajl).outcome)
    #expect(replayed.names[500] == "selected")
  }

  @Test("glue longer than a block is replayed too", arguments: kernels)
  func longGlue(kernel: feedscan_kernel) {
    let records = (0..<300).map { index in
      let key = String(repeating: "k", count: 50 + index % 3 * 40)
      return #"{"\#(key)": [true, null, {}], "\#(key)2": false, "name": "\#(index)"}"#
    }
    let (replayed, counts) = outcome(of: array(records), .replay, kernel: kernel)
    #expect(replayed == outcome(of: array(records), .yajl).outcome)
    #expect(counts.replayed > 290)
  }

  @Test(
    "a repeated key follows the options, whatever was learned before",
    arguments: [JSONOptions.DuplicateKeys.error, .first, .last])
  func repeatedKeys(policy: JSONOptions.DuplicateKeys) {
    let plain = #"{"name":"a","tags":["t"],"by":{"id":"1"}}"#
    let forms = [
      #"{"name":"a","name":"b"}"#, #"{"tags":["a"],"tags":["b","c"]}"#,
      #"{"by":{"id":"1"},"by":{"id":"2"},"name":"a"}"#, #"{"name":null,"name":"b"}"#, plain,
    ]
    let records = [plain, plain] + (0..<200).map { forms[$0 % forms.count] }
    let expected = outcome(of: array(records), .yajl, duplicateKeys: policy).outcome
    #expect(outcome(of: array(records), .replay, duplicateKeys: policy).outcome == expected)
    #expect(outcome(of: array(records), .both, duplicateKeys: policy).outcome == expected)
  }

  @Test("a list has the position of its own key, escaped or not")
  func listsOfEscapedKeys() {
    let forms = [
      #"{"t\u0061gs":["a"],"n":0}"#, #"{"tags":["a"],"n":0}"#, #"{"tags":[],"n":0}"#,
      #"{"t\u0061gs":[],"n":0}"#, #"{"t\u0061gs":["a","b"],"n":0}"#, #"{"tags":["a","b"],"n":0}"#,
    ]
    for first in forms.indices {
      let records = (0..<60).map { forms[(first + $0 * 5) % forms.count] }
      let expected = outcome(of: array(records), .yajl).outcome
      let (found, counts) = outcome(of: array(records), .both)
      #expect(found == expected && found.error == nil)
      #expect(counts.replayed > 40)
    }
  }

  @Test("limits apply to records that replay could accept")
  func limits() {
    var limits = JSONLimits()
    limits.stringBytes = 20
    limits.numberBytes = 5
    limits.listElements = 3
    let plain = #"{"name":"short","n":12,"tags":["a","b"]}"#
    let excessive = [
      #"{"name":"this text is longer than twenty","n":12,"tags":["a","b"]}"#,
      #"{"name":"short","n":123456,"tags":["a","b"]}"#,
      #"{"name":"short","n":12,"tags":["a","b","c","d"]}"#,
    ]
    for bad in excessive {
      let records = Array(repeating: plain, count: 50) + [bad]
      let expected = outcome(of: array(records), .yajl, limits: limits).outcome
      #expect(expected.error?.kind == .limit)
      #expect(outcome(of: array(records), .replay, limits: limits).outcome == expected)
    }
  }

  @Test("two objects passed as one record are rejected, and nothing is learned from them")
  func twoObjectsAsOne() {
    let text = Array(#"{"a":1},{"a":1}"#.utf8) + [UInt8](repeating: 0, count: 64)
    var options = JSONOptions()
    options.validation = .replay
    let lane = Lane(
      selection: Selection([.init(["a"])]), options: options, baseDepth: 1, isArray: true)
    withScannedText(text) { text in
      for _ in 0..<3 {
        [0..<15].withUnsafeBufferPointer { #expect(lane.validate(text, $0) == 0) }
        [0..<7, 8..<15].withUnsafeBufferPointer { #expect(lane.validate(text, $0) == 2) }
      }
    }
    let counts = lane.takeCounts()
    #expect(counts.learned == 1 && counts.replayed == 5)
  }

  @Test("mutated lines have the same result in all modes and with every kernel", arguments: 0..<4)
  func mutations(part: Int) {
    var generator = SeededGenerator(seed: UInt64(part))
    var refused = 0
    for round in 0..<40 {
      let lines = (0..<60).map { _ in Self.line(using: &generator) }
      let document = Array(lines.joined(separator: [0x0A]))
      let expected = outcome(of: document, .yajl).outcome
      refused += expected.rejected.count
      let kernel = Self.kernels[round % Self.kernels.count]
      #expect(outcome(of: document, .replay, kernel: kernel).outcome == expected)
      #expect(outcome(of: document, .both, kernel: kernel).outcome == expected)
    }
    // Both kinds of lines must have occurred.
    #expect(refused > 100 && refused < 2_300)
  }

  private static func line(using generator: inout SeededGenerator) -> [UInt8] {
    var line = Array((Self.seeds.randomElement(using: &generator) ?? "").utf8)
    for _ in 0..<Int.random(in: 0...2, using: &generator) {
      let at = Int.random(in: 0..<line.count, using: &generator)
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: line[at] = UInt8.random(in: 0x20..<0x7F, using: &generator)
      case 1: line.remove(at: at)
      default:
        line.insert(
          contentsOf: Array((Self.parts.randomElement(using: &generator) ?? "").utf8), at: at)
      }
    }
    return line
  }

  // Two objects with the same keys, and selected keys in an object that is not selected. A state
  // that ignored which object is open, or that it is not selected, would confuse them.
  static let seeds = [
    #"{"name":"a","tags":["x","y"],"by":{"id":"1"}}"#, #"{"name":null,"tags":[],"n":-1.5e3}"#,
    #"{"by":{"id":"a","name":"b"},"other":{"id":"a","name":"b"},"name":"c"}"#,
    #"{"other":{"id":"a","name":"b"},"by":{"id":"a","name":"b"},"name":"c"}"#,
    #"{"other":{"name":"a","in":{"name":"b","tags":["c"]}},"name":"x","tags":["y"]}"#,
    #"{"tags":["a",1,null,true,{},[],{"name":[1]}],"name":"é\u00e9\n\ud83d\ude00"}"#,
    #"{"n\u0061me":"escaped key","t\u0061gs":["a"],"n":0}"#, "{}", "{ }", #"{"name":"","n":12}"#,
    #"{"x":[[1,[2,"3"]],{"y":[]}],"tags":["a"],"by":null}"#, #"{"name":true,"tags":"a","by":[1]}"#,
  ]
  private static let parts = [
    "\"", "\\", ",", ":", "{", "}", "[", "]", "null", "0", "-", "1.5", "e", "\\u0041", "\\n", "\\x",
    " ", "\t", "é", #""name":"n","#, #""tags":["t"],"#, #""by":{"id":"2"},"#, "01", "{}", "[]",
    "\u{01}", "\u{7F}", #""other":{"name":1},"#, "tru",
  ]
}

/// Calls `body` with bytes and the bitmap of their special bytes, as a lane gets them. The last 64
/// bytes are the padding.
func withScannedText(_ bytes: [UInt8], _ body: (feedscan_text) -> Void) {
  var specials = [UInt64](repeating: 0, count: bytes.count / 64 + 3)
  feedscan_find_specials(bytes, 0, bytes.count, &specials, 0, FEEDSCAN_SCALAR)
  bytes.withUnsafeBufferPointer { bytes in
    specials.withUnsafeBufferPointer { specials in
      body(
        feedscan_text(
          chunk: bytes.baseAddress, specials: specials.baseAddress, first_special: 0))
    }
  }
}
