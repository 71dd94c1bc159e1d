import FeedRecord
import FeedSchema
import Foundation
import JSONStream
import TestSupport
import Testing

/// The texts of a field, one of each record.
private func texts(_ id: UInt16, of batch: RecordBatch) -> [String] {
  (0..<batch.count).compactMap { index in
    try? batch.withRecord(at: index) { (record) throws(RecordError) in try record.text(id) }
  }
}

@Suite("A parser's batches")
struct PayloadParserTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private static func name(_ number: Int) -> String { "University \(number)" }

  private static func record(_ number: Int, country: String = #""Chile""#) -> String {
    #"{"name":"\#(name(number))","country":\#(country),"alpha_two_code":"CL","#
      + #""state-province":null,"domains":["u\#(number).cl"],"web_pages":["http://u\#(number).cl"]}"#
  }

  private static func document(_ count: Int, badRecords: Set<Int> = []) -> String {
    let records = (0..<count).map {
      record($0, country: badRecords.contains($0) ? "7" : #""Chile""#)
    }
    return "[" + records.joined(separator: ",\n") + "]"
  }

  private func file(_ document: String) throws -> String {
    let path = directory.path + "/document.json"
    try Data(document.utf8).write(to: URL(fileURLWithPath: path))
    return path
  }

  private func parser(lanes: Int) -> PayloadParser {
    var parser = PayloadParser()
    parser.options.lanes = lanes
    parser.options.laneBytes = 4096
    return parser
  }

  private static func names(_ batch: RecordBatch) -> [String] {
    texts(1, of: batch)
  }

  @Test("have every record once and in order for any number of lanes", arguments: [1, 2, 8])
  func order(lanes: Int) throws {
    let path = try file(Self.document(3_000))
    var names: [String] = []
    let summary = try parser(lanes: lanes).forEachBatch(in: path) { batch in
      #expect(batch.firstIndex == names.count)
      names += Self.names(batch)
    }
    #expect(names == (0..<3_000).map(Self.name))
    #expect(summary.records == 3_000)
    #expect(summary.schema == .universities)
    #expect(summary.bytes == Self.document(3_000).utf8.count)
  }

  @Test("end at the first fault, after all records before it", arguments: [1, 2, 8])
  func firstFault(lanes: Int) throws {
    // Jobs after the first fault have faults too, and may finish before it.
    let path = try file(Self.document(3_000, badRecords: Set((0..<40).map { 1_234 + 40 * $0 })))
    var names: [String] = []
    let error = #expect(throws: JSONError.self) {
      try parser(lanes: lanes).forEachBatch(in: path) { batch in names += Self.names(batch) }
    }
    #expect(names == (0..<1_234).map(Self.name))
    #expect(error?.record == 1_235)
    #expect(error?.line == 1_235)
    #expect(error?.pointer == "/1234/country")
    #expect(
      error?.mismatch
        == JSONError.Mismatch(field: "country", expected: "a string", found: "a number"))
  }

  @Test("stop when their consumer throws", arguments: [1, 2])
  func consumerThrows(lanes: Int) throws {
    let path = try file(Self.document(3_000))
    struct Enough: Error {}
    var batches = 0
    #expect(throws: Enough.self) {
      try parser(lanes: lanes).forEachBatch(in: path) { _ in
        batches += 1
        throw Enough()
      }
    }
    #expect(batches == 1)
  }

  @Test("remain valid after the reading")
  func outlive() throws {
    let path = try file(Self.document(200))
    var kept: [RecordBatch] = []
    try parser(lanes: 2).forEachBatch(in: path) { kept.append($0) }
    #expect(kept.flatMap(Self.names) == (0..<200).map(Self.name))
  }

  @Test("come as an asynchronous sequence, and so do their records")
  func sequence() async throws {
    let path = try file(Self.document(2_000))
    let batches = parser(lanes: 2).batches(in: path)
    var count = 0
    for try await batch in batches { count += batch.count }
    #expect(count == 2_000)
    // The document is read again.
    var names: [String] = []
    for try await record in batches.records {
      #expect(record.index == names.count)
      names.append(try record.withView { (record) throws(RecordError) in try record.text(1) ?? "" })
    }
    #expect(names == (0..<2_000).map(Self.name))
  }

  @Test("as a sequence end with the fault, after all records before it")
  func sequenceFault() async throws {
    let path = try file(Self.document(2_000, badRecords: [1_500]))
    var names: [String] = []
    var error: JSONError?
    do {
      for try await record in parser(lanes: 2).batches(in: path).records {
        names.append(
          try record.withView { (record) throws(RecordError) in try record.text(1) ?? "" })
      }
    } catch let fault as JSONError {
      error = fault
    }
    #expect(names == (0..<1_500).map(Self.name))
    #expect(error?.record == 1_501)
  }

  @Test("as a sequence end when the awaiting task is cancelled", .timeLimit(.minutes(10)))
  func cancellation() async throws {
    // Nothing is ever written to the pipe.
    let path = directory.path + "/pipe"
    try #require(mkfifo(path, 0o600) == 0)
    let holder = open(path, O_RDWR)
    defer { close(holder) }
    let batches = parser(lanes: 1).batches(in: path)
    let task = Task { for try await _ in batches {} }
    task.cancel()
    let error = await #expect(throws: JSONError.self) { try await task.value }
    #expect(error?.kind == .cancelled)
  }

  @Test("in a loop end when the calling task is cancelled", arguments: [1, 2])
  func cancelledLoop(lanes: Int) async throws {
    let path = try file(Self.document(3_000))
    let parser = parser(lanes: lanes)
    let task = Task {
      // Cancelled before it begins, so that nothing depends on timing.
      withUnsafeCurrentTask { $0?.cancel() }
      try parser.forEachBatch(in: path) { _ in }
    }
    let error = await #expect(throws: JSONError.self) { try await task.value }
    #expect(error?.kind == .cancelled)
  }

  @Test("may be abandoned in the middle of the sequence")
  func left() async throws {
    let path = try file(Self.document(2_000))
    for try await batch in parser(lanes: 2).batches(in: path) {
      #expect(batch.firstIndex == 0)
      break
    }
  }
}

@Suite("A document that is pushed")
struct PayloadPushTests {
  private static let document = Array(
    (0..<50).map { #"{"id":"\#(id($0))","message":"é \#($0)","# + author }
      .joined(separator: ",").utf8)
  private static let author =
    #""created_at":"2020-05-20T11:24:59+0000","author":{"username":"a"}}"#

  private static func id(_ number: Int) -> String {
    "2AB2AE66-A4B7-4A16-B374-51BBAC8DB0\(String(format: "%02X", number))"
  }

  private static var whole: [UInt8] {
    Array(#"{"items":["#.utf8) + document + Array("]}".utf8)
  }

  @Test("yields the same records in chunks of any size", arguments: [1, 7, 1_000, 1 << 20])
  func chunks(size: Int) throws {
    var messages: [String] = []
    let push = PayloadParser().push(named: "body") { (batch) throws(JSONError) in
      messages += texts(2, of: batch)
    }
    var rest = Self.whole[...]
    while !rest.isEmpty {
      try push.feed(rest.prefix(size))
      rest = rest.dropFirst(size)
    }
    let summary = try push.finish()
    #expect(messages == (0..<50).map { "é \($0)" })
    #expect(summary.schema == .comments)
    #expect(summary.bytes == Self.whole.count)
  }

  @Test("that is truncated is an error, which repeats")
  func truncated() throws {
    let push = PayloadParser().push(named: "body") { (_) throws(JSONError) in }
    try push.feed(Self.whole.dropLast())
    let error = try #require(throws: JSONError.self) { try push.finish() }
    #expect(error.kind == .truncated)
    #expect(error.file == "body")
    #expect(throws: error) { try push.feed([0x7D]) }
    #expect(throws: error) { try push.finish() }
  }

  @Test("rejects bytes after its end")
  func afterTheEnd() throws {
    let push = PayloadParser().push(named: "body") { (_) throws(JSONError) in }
    try push.feed(Self.whole)
    let summary = try push.finish()
    #expect(throws: JSONError.self) { try push.feed(Array("{".utf8)) }
    #expect(try push.finish() == summary)
  }
}
