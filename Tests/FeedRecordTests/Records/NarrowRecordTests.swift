@_spi(Ingest) import FeedRecord
import TestSupport
import Testing

/// `RecordEncoder` writes every record; `NarrowRecord` must write the same bytes.
@Suite("Narrow records")
struct NarrowRecordTests {
  @Test("records of random layouts and values have the bytes that the encoder gives them")
  func randomRecords() throws {
    var random = SeededGenerator(seed: 30)
    for _ in 0..<400 {
      let layout = try RandomRecords.layout(using: &random)
      let records = (0..<Int.random(in: 1...6, using: &random)).map { _ in
        RandomRecords.record(of: layout, using: &random)
      }
      expectSameBytes(records, layout)
    }
  }

  @Test("texts of every length up to 130 are complete, in the last field and before others")
  func textLengths() throws {
    let layout = try Self.textsAndLists()
    let records = (0...130).map { count -> [Value] in
      let text = String(repeating: "x", count: count)
      return [.text(text), .list([text]), .text("end"), .text(text)]
    }
    expectSameBytes(records, layout)
  }

  @Test("absence, null, an empty text and lists of no, one and many elements differ")
  func absenceAndLists() throws {
    let layout = try Self.textsAndLists()
    let lists: [Value] = [
      .absent, .null, .list([]), .list([""]), .list(["a"]), .list(["a", ""]),
      .list((0..<40).map { "element \($0)" }),
    ]
    var records: [[Value]] = []
    for list in lists {
      for text in [Value.absent, .null, .text(""), .text("b")] {
        records.append([.text("a"), list, text, .text("c")])
        records.append([.text("a"), list, .text("b"), text])
      }
    }
    expectSameBytes(records, layout)
    #expect(Set(records.map { narrowRecords([$0], layout).bytes }).count == records.count)
  }

  private static func textsAndLists() throws -> RecordLayout {
    try RecordLayout(
      schemaID: 3,
      fields: [
        RecordField(id: 1, type: .text),
        RecordField(id: 2, type: .textList, isOptional: true),
        RecordField(id: 3, type: .text, isOptional: true),
        RecordField(id: 4, type: .text, isOptional: true),
      ])
  }

  private func expectSameBytes(_ records: [[Value]], _ layout: RecordLayout) {
    var encoder = RecordEncoder(layout: layout)
    for record in records { encoder.encode(record) }
    let (bytes, ends) = narrowRecords(records, layout)
    #expect(ends == (0..<encoder.count).map { encoder.bytes(in: 0..<$0 + 1).byteCount })
    #expect(bytes == encoder.bytes(in: 0..<encoder.count).withUnsafeBytes { [UInt8]($0) })
  }

  private func narrowRecords(
    _ records: [[Value]], _ layout: RecordLayout
  ) -> (bytes: [UInt8], ends: [Int]) {
    var encoder = RecordEncoder(layout: layout)
    guard let fields = encoder.narrowFields else { return ([], []) }
    for record in records {
      // Again if the width differs from that of the previous record.
      while !write(record, fields, to: &encoder) {}
    }
    return (
      encoder.bytes(in: 0..<encoder.count).withUnsafeBytes { [UInt8]($0) },
      (0..<encoder.count).map { encoder.bytes(in: 0..<$0 + 1).byteCount }
    )
  }

  private func write(
    _ values: [Value], _ fields: [NarrowRecord.Field], to encoder: inout RecordEncoder
  ) -> Bool {
    let isShort = encoder.expectsShort
    var record = encoder.beginNarrow(atMost: 30_000, isShort: isShort)
    for (field, value) in zip(fields, values) {
      switch value {
      case .absent: record.setText(field, padded: RawSpan(), isPresent: false, isNull: false)
      case .null: record.setText(field, padded: RawSpan(), isPresent: false, isNull: true)
      case .text(let text):
        let bytes = Padded(text)
        record.setText(field, padded: bytes.span)
      case .list(let texts) where texts.count == 1:
        let bytes = Padded(texts[0])
        record.setList(field, ofPadded: bytes.span)
      case .list(let texts):
        var position = record.beginList(field, count: texts.count)
        for (index, text) in texts.enumerated() {
          let bytes = Padded(text)
          record.appendElement(&position, padded: bytes.span, isLast: index == texts.count - 1)
        }
        record.endList(field)
      case .boolean(let value): record.setBoolean(field, value)
      case .integer(let value): record.setWord(field, UInt64(bitPattern: value))
      case .number(let bits), .date(let bits): record.setWord(field, bits)
      case .uuid(let high, let low): record.setUUID(field, high: high, low: low)
      }
    }
    return encoder.endNarrow(record, isShort: isShort, keyHash: 0)
  }
}

/// A text and the bytes that must follow it in memory.
private struct Padded {
  private let bytes: [UInt8]

  init(_ text: String) { bytes = text.utf8 + [UInt8](repeating: 0xA5, count: NarrowRecord.padding) }

  var span: RawSpan {
    @_lifetime(borrow self) get {
      bytes.span.bytes.extracting(0..<bytes.count - NarrowRecord.padding)
    }
  }
}
