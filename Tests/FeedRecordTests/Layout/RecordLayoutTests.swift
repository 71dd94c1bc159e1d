@_spi(Ingest) import FeedRecord
import Testing

@Suite("Record layout")
struct RecordLayoutTests {
  @Test("256 fields are accepted and 257 are not")
  func fieldLimit() throws {
    let fields = (UInt16(0)..<257).map { RecordField(id: $0, type: .text, isOptional: true) }
    let layout = try RecordLayout(schemaID: 1, fields: Array(fields.prefix(256)))
    #expect(
      errorCode { () throws(RecordError) in
        _ = try RecordLayout(schemaID: 1, fields: fields)
      } == .invalidLayout)
    let values = (0..<256).map { $0 % 3 == 0 ? Value.null : .text("\($0)") }
    let block = makeBlock([values], layout: layout, seed: 1)
    #expect(try readBlock(block, seed: 1, layout: layout) == [values])
  }

  @Test("two fields with one id are refused")
  func duplicateIDs() {
    let code = errorCode { () throws(RecordError) in
      _ = try RecordLayout(
        schemaID: 1,
        fields: [RecordField(id: 5, type: .text), RecordField(id: 5, type: .integer)])
    }
    #expect(code == .invalidLayout)
  }

  @Test("layouts are equal by schema id and fields")
  func equality() throws {
    let layout = try SampleRecords.singleText()
    let field = RecordField(id: 1, type: .text)
    #expect(try layout == RecordLayout(schemaID: 1, fields: [field]))
    #expect(try layout != RecordLayout(schemaID: 2, fields: [field]))
    #expect(
      try layout
        != RecordLayout(schemaID: 1, fields: [RecordField(id: 1, type: .text, isOptional: true)]))
    #expect(try Set([layout, RecordLayout(schemaID: 1, fields: [field])]).count == 1)
  }

  @Test("a location from the layout is that of the field in a block")
  func locations() throws {
    let layout = try SampleRecords.everyType()
    let block = makeBlock(SampleRecords.everyTypeRecords, layout: layout, seed: 1)
    let view = try BlockView(block.span.bytes)
    for field in layout.fields {
      #expect(layout.location(of: field.id) == view.location(of: field.id))
    }
    #expect(layout.location(of: 9_999) == nil)
    let location = try #require(layout.location(of: 16))
    #expect(try view.record(at: 0).text(location) == "second")
  }
}
