@_spi(Ingest) import FeedRecord
import TestSupport
import Testing

@Suite("Record encoder")
struct RecordEncoderTests {
  @Test("fields of every type, absent, null and empty, are read as they were set")
  func roundTrip() throws {
    let layout = try SampleRecords.everyType()
    let block = makeBlock(SampleRecords.everyTypeRecords, layout: layout, seed: 1)
    #expect(try readBlock(block, seed: 1, layout: layout) == SampleRecords.everyTypeRecords)
  }

  @Test("records of random layouts and values are read as they were set")
  func randomRoundTrip() throws {
    var random = SeededGenerator(seed: 42)
    for _ in 0..<300 {
      let layout = try RandomRecords.layout(using: &random)
      let records = (0..<Int.random(in: 0...5, using: &random)).map { _ in
        RandomRecords.record(of: layout, using: &random)
      }
      let block = makeBlock(records, layout: layout, seed: 9)
      #expect(try readBlock(block, seed: 9, layout: layout) == records)
    }
  }

  @Test("NaN keeps its bits")
  func notANumber() throws {
    let layout = try RecordLayout(schemaID: 1, fields: [RecordField(id: 1, type: .number)])
    let bits: UInt64 = 0x7FF8_0000_DEAD_BEEF
    let block = makeBlock([[.number(bits)]], layout: layout, seed: 1)
    #expect(try readBlock(block, seed: 1, layout: layout) == [[.number(bits)]])
  }

  @Test("a null in a field that is not optional is absent")
  func nullWithoutBit() throws {
    let layout = try SampleRecords.singleText()
    let block = makeBlock([[.null]], layout: layout, seed: 1)
    #expect(try readBlock(block, seed: 1, layout: layout) == [[.absent]])
  }

  @Test(
    "a record is wide exactly above 65 535 variable bytes",
    arguments: [(65_534, false), (65_535, false), (65_536, true), (65_537, true)])
  func wideBoundary(size: Int, isWide: Bool) throws {
    let layout = try SampleRecords.university()
    // Two lists of one element: 4 bytes of overhead by the narrow count.
    let values: [Value] = [
      .text("n"), .text("c"), .text("CH"), .absent, .list([String(repeating: "w", count: 300)]),
      .list([String(repeating: "d", count: size - 308)]),
    ]
    var encoder = RecordEncoder(layout: layout)
    encoder.encode(values)
    #expect(encoder.isWide(at: 0) == isWide)
    let offsets = isWide ? 5 * 4 : 5 * 2
    let listGrowth = isWide ? 4 : 0
    #expect(encoder.byteCount == 1 + offsets + size + listGrowth)
    let block = makeBlock([values], layout: layout, seed: 3)
    #expect(try readBlock(block, seed: 3, layout: layout) == [values])
  }

  @Test(
    "offsets have 8 bits up to exactly 255 variable bytes",
    arguments: [0, 1, 253, 254, 255, 256, 257]
  )
  func shortBoundary(size: Int) throws {
    let layout = try SampleRecords.university()
    let isShort = size <= 255
    // Two lists of one element: 4 bytes of overhead by the narrow count.
    let values: [Value] =
      size < 20
      ? [.absent, .text(String(repeating: "c", count: size)), .absent, .null, .absent, .absent]
      : [
        .text("n"), .text("c"), .text("CH"), .absent, .list(["wwwwwwwwww"]),
        .list([String(repeating: "d", count: size - 18)]),
      ]
    let lists = size < 20 ? 0 : 2
    var encoder = RecordEncoder(layout: layout)
    encoder.encode(values)
    let (isWide, byteCount) = (encoder.isWide(at: 0), encoder.byteCount)
    #expect(!isWide)
    #expect(byteCount == 1 + (isShort ? 5 + size - lists : 10 + size))
    let block = makeBlock([values, values], layout: layout, seed: 3)
    #expect(try readBlock(block, seed: 3, layout: layout) == [values, values])
  }

  @Test("a wide list of many elements is read as it was set")
  func wideList() throws {
    let layout = try RecordLayout(schemaID: 1, fields: [RecordField(id: 1, type: .textList)])
    let values: [Value] = [.list((0..<70_000).map { "\($0)" })]
    let block = makeBlock([values], layout: layout, seed: 3)
    #expect(try readBlock(block, seed: 3, layout: layout) == [values])
  }

  @Test("a university needs at most 10 bytes in addition to its text, including its record start")
  func overhead() throws {
    let layout = try SampleRecords.university()
    let values: [Value] = [
      .text("Marywood University"), .text("United States"), .text("US"), .text("Pennsylvania"),
      .list(["http://www.marywood.edu"]), .list(["marywood.edu"]),
    ]
    let bareText = values.reduce(0) { $0 + $1.variableByteCount } - 4
    let one = makeBlock([values], layout: layout, seed: 1)
    let two = makeBlock([values, values], layout: layout, seed: 1)
    #expect(two.count - one.count - bareText <= 10)
  }

  @Test("a cancelled record leaves no trace, and neither does a replaced one")
  func cancel() throws {
    let layout = try SampleRecords.university()
    let values: [Value] = [.text("a"), .text("b"), .text("c"), .null, .list(["d"]), .absent]
    var encoder = RecordEncoder(layout: layout)
    encoder.encode(values, keyHash: 1)
    encoder.begin(variableByteCount: 100)
    encoder.setText(0, "dropped".utf8.span.bytes)
    encoder.setNull(3)
    encoder.cancel()
    encoder.begin(variableByteCount: 70_000)
    encoder.beginList(4, count: 3)
    encoder.encode(values, keyHash: 2)
    #expect(encoder.count == 2)
    #expect(encoder.keyHash(at: 0) == 1)
    #expect(encoder.keyHash(at: 1) == 2)
    let areSame = encoder.bytes(at: 0).hasSameBytes(as: encoder.bytes(at: 1))
    #expect(areSame)
  }

  @Test("removing all records keeps a small buffer and releases a large one")
  func removeAll() throws {
    let layout = try SampleRecords.singleText()
    var encoder = RecordEncoder(layout: layout)
    let small = encoder.capacity
    encoder.encode([.text("x")])
    encoder.removeAll()
    #expect(encoder.count == 0)
    #expect(encoder.byteCount == 0)
    #expect(encoder.capacity == small)
    encoder.encode([.text(String(repeating: "x", count: 5 << 20))])
    #expect(encoder.capacity >= 5 << 20)
    encoder.removeAll()
    #expect(encoder.capacity <= 1 << 20)
    encoder.encode([.text("y")])
    let view = try RecordView(encoder.bytes(at: 0), layout: layout, isWide: false)
    #expect(try view.values(layout) == [.text("y")])
  }

  @Test("records survive the growth of the buffer")
  func growth() throws {
    let layout = try SampleRecords.singleText()
    var encoder = RecordEncoder(layout: layout)
    for index in 0..<3_000 {
      encoder.encode([.text(String(repeating: "\(index)", count: 1 + index % 97))])
    }
    for index in 0..<3_000 {
      let view = try RecordView(encoder.bytes(at: index), layout: layout, isWide: false)
      let expected = String(repeating: "\(index)", count: 1 + index % 97)
      #expect(try view.text(1) == expected)
    }
  }

  @Test("texts of every short length are copied completely")
  func shortTexts() throws {
    let layout = try SampleRecords.singleText()
    let letters = (0..<100).map { String(UnicodeScalar(UInt8(33 + $0 % 90))) }
    var encoder = RecordEncoder(layout: layout)
    for length in 0..<100 { encoder.encode([.text(letters[0..<length].joined())]) }
    for length in 0..<100 {
      let view = try RecordView(encoder.bytes(at: length), layout: layout, isWide: false)
      #expect(try view.text(1) == letters[0..<length].joined())
    }
  }
}
