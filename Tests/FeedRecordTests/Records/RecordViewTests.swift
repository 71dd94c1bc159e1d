@_spi(Ingest) import FeedRecord
import Testing

@Suite("Record view")
struct RecordViewTests {
  @Test("reading a field as another type is a type mismatch, present or not")
  func typeMismatch() throws {
    let layout = try SampleRecords.everyType()
    let block = makeBlock(SampleRecords.everyTypeRecords, layout: layout, seed: 1)
    for index in 0..<4 {
      let record = try BlockView(block.span.bytes).record(at: index)
      let codes = [
        errorCode { () throws(RecordError) in _ = try record.rawText(12) },
        errorCode { () throws(RecordError) in _ = try record.text(11) },
        errorCode { () throws(RecordError) in _ = try record.textList(10) },
        errorCode { () throws(RecordError) in _ = try record.integer(17) },
        errorCode { () throws(RecordError) in _ = try record.number(17) },
        errorCode { () throws(RecordError) in _ = try record.date(22) },
        errorCode { () throws(RecordError) in _ = try record.boolean(10) },
        errorCode { () throws(RecordError) in _ = try record.uuid(11) },
      ]
      #expect(codes.allSatisfy { $0 == .typeMismatch })
    }
  }

  @Test("a field read by its id is the one at its location")
  func identifiers() throws {
    let layout = try SampleRecords.everyType()
    let block = makeBlock(SampleRecords.everyTypeRecords, layout: layout, seed: 1)
    for index in 0..<4 {
      let record = try BlockView(block.span.bytes).record(at: index)
      for field in layout.fields {
        let found = record.location(of: field.id)
        let (id, location) = (field.id, try #require(found))
        let areEqual =
          switch field.type {
          case .text, .span: try record.text(id) == record.text(location)
          case .textList: try record.textList(id)?.count == record.textList(location)?.count
          case .boolean: try record.boolean(id) == record.boolean(location)
          case .integer: try record.integer(id) == record.integer(location)
          case .number:
            try record.number(id)?.bitPattern == record.number(location)?.bitPattern
          case .date: try record.date(id)?.bitPattern == record.date(location)?.bitPattern
          case .json: try record.rawJSON(location) != nil
          case .uuid: try record.uuid(id)?.low == record.uuid(location)?.low
          }
        let hasPresence = record.isPresent(id) == record.isPresent(location)
        let hasNull = record.isNull(id) == record.isNull(location)
        #expect(areEqual && hasPresence && hasNull)
      }
    }
  }

  @Test("an id that the block lacks is an absent field")
  func unknownID() throws {
    let block = makeBlock([[.text("x")]], layout: try SampleRecords.singleText(), seed: 1)
    let record = try BlockView(block.span.bytes).record(at: 0)
    let (isPresent, isNull) = (record.isPresent(99), record.isNull(99))
    #expect(!isPresent && !isNull)
    let (hasRawText, hasList) = (try record.rawText(99) != nil, try record.textList(99) != nil)
    #expect(!hasRawText && !hasList)
    let isNil = (try record.text(99) == nil, try record.integer(99) == nil)
    #expect(isNil == (true, true))
    let areNil = (
      try record.number(99) == nil, try record.date(99) == nil, try record.boolean(99) == nil,
      try record.uuid(99) == nil
    )
    #expect(areNil == (true, true, true, true))
  }

  @Test("a field of an unknown type is skipped by its width")
  func unknownType() throws {
    let layout = try SampleRecords.everyType()
    var block = makeBlock(SampleRecords.everyTypeRecords, layout: layout, seed: 1)
    // Types of the same width class that version 1 does not have.
    let unknown: [(field: Int, type: UInt8)] = [(0, 0x0E), (1, 0x8E), (3, 0x1E), (4, 0xFE)]
    for (field, type) in unknown { block[40 + 4 * field + 2] = type }
    let view = try BlockView(block.span.bytes)
    #expect(
      errorCode { () throws(RecordError) in _ = try view.layout() } == .unsupportedVersion)
    let record = try view.record(at: 0)
    for field in layout.fields.enumerated() where !unknown.map(\.field).contains(field.offset) {
      let value = try record.value(field.element)
      #expect(value == SampleRecords.everyTypeRecords[0][field.offset])
    }
  }

  @Test("a text that is not UTF-8 is an error as text, but its bytes can be read")
  func invalidText() throws {
    let layout = try RecordLayout(
      schemaID: 1,
      fields: [RecordField(id: 1, type: .text), RecordField(id: 2, type: .textList)])
    let bad: [UInt8] = [0x41, 0xC0, 0xAF]
    var encoder = RecordEncoder(layout: layout)
    encoder.begin(variableByteCount: 2 * bad.count + RecordEncoder.listOverhead(count: 1))
    encoder.setText(0, bad.span.bytes)
    encoder.beginList(1, count: 1)
    encoder.appendElement(bad.span.bytes)
    encoder.end(keyHash: 0)
    let record = try RecordView(encoder.bytes(at: 0), layout: layout, isWide: false)
    #expect(errorCode { () throws(RecordError) in _ = try record.text(1) } == .invalidText)
    let code = errorCode { () throws(RecordError) in
      _ = try record.textList(2)?.element(at: 0)
    }
    #expect(code == .invalidText)
    let isSame = try record.rawText(1)?.hasSameBytes(as: bad.span.bytes)
    #expect(isSame == true)
  }

  @Test("a boolean that is neither 0 nor 1 is damage")
  func invalidBoolean() throws {
    let layout = try RecordLayout(schemaID: 1, fields: [RecordField(id: 1, type: .boolean)])
    let bytes: [UInt8] = [1, 2]
    let record = try RecordView(bytes.span.bytes, layout: layout, isWide: false)
    #expect(errorCode { () throws(RecordError) in _ = try record.boolean(1) } == .damaged)
  }

  @Test("a record of fixed fields that is too short or too long is damage")
  func wrongSize() throws {
    let layout = try RecordLayout(schemaID: 1, fields: [RecordField(id: 1, type: .integer)])
    for size in [0, 1, 8, 10] {
      let bytes = [UInt8](repeating: 0, count: size)
      let code = errorCode { () throws(RecordError) in
        _ = try RecordView(bytes.span.bytes, layout: layout, isWide: false)
      }
      #expect(code == .damaged)
    }
  }
}
