@_spi(Ingest) import FeedRecord
import TestSupport
import Testing

@Suite("Record form")
struct RecordFormTests {
  @Test(
    "a copy of a complete record is verified and read by its form, like the record itself",
    arguments: 0..<20)
  func copy(seed: Int) throws {
    var random = SeededGenerator(seed: 0xF0 + UInt64(seed))
    let layout = try RandomRecords.layout(using: &random)
    let records = (0..<20).map { _ in RandomRecords.record(of: layout, using: &random) }
    let bytes = makeBlock(records, layout: layout, seed: 1)
    let block = try BlockView(bytes.span.bytes)
    for index in records.indices {
      let record = try block.record(at: index)
      let bytes = Array(record)
      let copy = try RecordView(bytes.span.bytes, form: record.form)
      try copy.checkBounds()
      for (field, value) in zip(layout.fields, records[index]) {
        let location = try #require(layout.location(of: field.id))
        try copy.checkValue(location)
        let found = try copy.value(field.type, location)
        #expect(found == value)
      }
    }
  }

  @Test("every field of a verified record can be read", arguments: 0..<3)
  func proof(seed: Int) throws {
    let layout = try SampleRecords.everyType()
    let locations = layout.fields.map { ($0.type, layout.location(of: $0.id)) }
    let block = makeBlock(SampleRecords.everyTypeRecords, layout: layout, seed: 1)
    let record = try BlockView(block.span.bytes).record(at: 0)
    let (form, original) = (record.form, Array(record))
    var random = SeededGenerator(seed: 0xFA + UInt64(seed))
    var (whole, refused) = (0, 0)
    for _ in 0..<10_000 {
      let bytes = Mutation.mutated(original, using: &random)
      guard let view = try? RecordView(bytes.span.bytes, form: form) else { continue }
      let proof = errorCode { () throws(RecordError) in
        try view.checkBounds()
        for case (_, let location?) in locations { try view.checkValue(location) }
      }
      guard proof == nil else {
        refused += 1
        continue
      }
      whole += 1
      let failures = locations.filter { type, location in
        guard let location else { return true }
        let code = errorCode { () throws(RecordError) in _ = try view.value(type, location) }
        return code == .damaged
      }
      #expect(failures.isEmpty)
    }
    #expect(whole > 1_000 && refused > 1_000)
  }

  @Test("the bytes of a UUID are in the order of its text")
  func uuid() throws {
    let layout = try RecordLayout(schemaID: 1, fields: [RecordField(id: 1, type: .uuid)])
    let value = Value.uuid(0x0001_0203_0405_0607, 0x0809_0A0B_0C0D_0E0F)
    let block = makeBlock([[value], [.absent]], layout: layout, seed: 1)
    let location = try #require(layout.location(of: 1))
    let view = try BlockView(block.span.bytes)
    let bytes = try view.record(at: 0).rawUUID(location)?.withUnsafeBytes { Array($0) }
    #expect(bytes == Array(0...15))
    let isAbsent = try view.record(at: 1).rawUUID(location) == nil
    #expect(isAbsent)
  }
}

extension [UInt8] {
  /// The bytes of a record.
  fileprivate init(_ record: borrowing RecordView) {
    self = record.bytes.withUnsafeBytes { Array($0) }
  }
}
