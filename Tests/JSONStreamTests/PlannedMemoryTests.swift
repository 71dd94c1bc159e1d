import TestSupport
import Testing

@testable @_spi(Records) import JSONStream

/// However long a planned document is, only its unfinished parts stay in memory.
@Suite("Memory for planned documents")
struct PlannedMemoryTests {
  /// The maximum number of bytes in the buffer while a document of repeated parts is read in chunks
  /// of 4 KiB.
  private func peak(
    _ plan: DocumentPlan, start: String, part: String, end: String, bytes: Int = 400_000
  ) throws -> Int {
    let consumer = CountingConsumer(plan)
    var options = JSONOptions()
    options.lanes = 1
    options.sliceBytes = 4 << 10
    let reader = RecordReader(consumer: consumer, file: "test", options: options)
    var text = Array(start.utf8)
    while text.count < bytes { text += Array(part.utf8) }
    text += Array(end.utf8)
    var peak = 0
    for first in stride(from: 0, to: text.count, by: 4096) {
      try reader.feed(text.span.bytes.extracting(first..<min(first + 4096, text.count)))
      peak = max(peak, reader.buffer.count)
    }
    try reader.finish()
    #expect(consumer.longestPiece <= 64 << 10)
    return peak
  }

  @Test("many small records, members and siblings do not stay in the buffer")
  func smallParts() throws {
    let record = #"{"a":[1,"x"]}"#
    let items = DocumentPlan(.array, at: ["items"])
    for (plan, start, part, end) in [
      (DocumentPlan(.array), "[0", "," + record, "]"),
      (DocumentPlan(.array), "[0", ",1", "]"),
      (DocumentPlan(.array), "[0", ",1," + record, "]"),
      (DocumentPlan(.keyed), "{\"a\":0", ",\"key\":" + record, "}"),
      (DocumentPlan(.keyed), "{\"a\":0", ",\"k\\u0065y\" : " + record, "}"),
      (DocumentPlan(.keyed), "{\"a\":0", ",\"key\":1", "}"),
      (DocumentPlan(.rows), "[[\"a\"]", ",[1]", "]"),
      (DocumentPlan(.lines), "", "1\n" + record + "\n", ""),
      (DocumentPlan(.concatenated), "", "1 \"x\"" + record, ""),
      (DocumentPlan(.concatenated), "", "\"a long string ends in every chunk \" ", ""),
      (DocumentPlan(.sequence), "", "\u{1E}1\n\u{1E}" + record, ""),
      (items, "{\"items\":[1],\"x\":[0", "," + record, "]}"),
      (items, "{\"x\":[0", "," + record, "],\"items\":[1]}"),
      (items, "{\"x\":0", ",\"y\":" + record, ",\"items\":[1]}"),
      (items, "{\"x\":0", ",\"y\":1", ",\"items\":[1]}"),
    ] {
      let bytes = try peak(plan, start: start, part: part, end: end)
      #expect(bytes < 20 << 10, "\(plan.framing) of \(part)")
    }
  }

  @Test("records, keys and scalars that cross the segments of a file are complete")
  func segments() throws {
    let fixture = try InputFixture()
    var generator = SeededGenerator(seed: 5)
    var text = "{"
    var (keys, records): ([String], [String]) = ([], [])
    for number in 0..<400 {
      let filler = String(repeating: "x", count: Int.random(in: 0...9_000, using: &generator))
      keys.append(number % 3 == 0 ? "\(filler)\\\"\(number)" : "\(filler)\(number)")
      records.append(
        number % 2 == 0 ? "\"\(filler)\"" : "{\"a\":\(number),\"b\":[\"\(filler)\"]}")
      text += (number == 0 ? "" : " ,\n") + "\"\(keys[number])\" : \(records[number])"
    }
    let path = try fixture.file(Array((text + "}").utf8))
    let reading = try PlannedReading(file: path, DocumentPlan(.keyed))
    #expect(reading.keys == keys)
    #expect(reading.records == records)
  }

  @Test("white space between values does not stay in the buffer")
  func whiteSpace() throws {
    let space = String(repeating: " ", count: 100)
    for (plan, start, end) in [
      (DocumentPlan(.array), "[{}", "]"), (DocumentPlan(.array), "[{},", "{}]"),
      (DocumentPlan(.keyed), "{\"a\":1,", "\"b\":2}"), (DocumentPlan(.keyed), "{\"a\":{}", "}"),
      (DocumentPlan(.lines), "{}\n", "\n{}"), (DocumentPlan(.concatenated), "{}", "{}"),
      (DocumentPlan(.single), "{}", " "), (DocumentPlan(.array, at: ["x"]), "{\"x\" ", ":[]}"),
    ] {
      let bytes = try peak(plan, start: start, part: space, end: end)
      #expect(bytes < 20 << 10, "\(plan.framing) \(start)")
    }
  }
}

private final class CountingConsumer: RecordConsumer {
  let plan: DocumentPlan
  let planningBytes = 64
  let recordKeys: [String] = []
  let skipsRecords = false
  private(set) var longestPiece = 0

  init(_ plan: DocumentPlan) { self.plan = plan }

  func plan(head: RawSpan, isComplete: Bool) -> DocumentPlan? { plan }

  func takeEnvelope(_ text: borrowing RawSpan, isAfterRecords: Bool) {
    longestPiece = max(longestPiece, text.byteCount)
  }

  func select(_ shape: DocumentShape, sample: RawSpan?, depth: Int) -> SelectionChoice {
    .selected(.everything) { CountingBatch() }
  }

  func reject(_ error: JSONError, raw: borrowing RawSpan) throws(JSONError) { throw error }
}

private final class CountingBatch: LaneBatch {
  private(set) var recordCount = 0

  func deliver() -> Bool {
    recordCount = 0
    return true
  }

  func removeRecords(from index: Int) { recordCount = index }

  func map(_ tape: borrowing RecordTape, from first: Int) -> RecordFault? {
    recordCount += tape.recordCount - first
    return nil
  }
}
