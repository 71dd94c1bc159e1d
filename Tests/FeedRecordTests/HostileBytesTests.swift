@_spi(Ingest) import FeedRecord
import TestSupport
import Testing

@Suite("Hostile bytes")
struct HostileBytesTests {
  /// Mutations of each of six blocks in each of two shards: 420 000 together.
  static let mutations = 35_000
  static let shards = 0..<2

  @Test("no mutation or truncation of a block of records traps a view", arguments: shards)
  func records(shard: Int) throws {
    let layout = try SampleRecords.eachTypeOnce()
    try attack(
      makeBlock(SampleRecords.eachTypeOnceRecords, layout: layout, seed: 1), shard: shard,
      layout: layout)
  }

  @Test("no mutation or truncation of a block of version 1 traps a view", arguments: shards)
  func old(shard: Int) throws {
    try attack(Golden.oldRecords.bytes(), shard: shard, layout: SampleRecords.everyType())
  }

  @Test("no mutation or truncation of a record with offsets of 16 bits traps", arguments: shards)
  func narrow(shard: Int) throws {
    let layout = try SampleRecords.eachTypeOnce()
    var records = SampleRecords.eachTypeOnceRecords
    records[0][7] = .text(String(repeating: "narrow", count: 43))
    try attack(makeBlock(records, layout: layout, seed: 1), shard: shard, layout: layout)
  }

  @Test("no mutation or truncation of a wide block traps a view", arguments: shards)
  func wide(shard: Int) throws {
    let layout = try SampleRecords.eachTypeOnce()
    // Wide by its flag; its offsets are nonsense from the start.
    var block = makeBlock(SampleRecords.eachTypeOnceRecords, layout: layout, seed: 1)
    block[BlockFormat.Header.flags] = 1
    block[BlockFormat.Header.recordCount] = 1
    try attack(block, shard: shard, layout: layout)
  }

  @Test("no mutation or truncation of an index block traps a view", arguments: shards)
  func index(shard: Int) throws {
    let originals = [IndexBlockTests.block(lower: 1, upper: 2), try Golden.oldIndex.bytes()]
    var random = SeededGenerator(seed: 0xD0 + UInt64(shard))
    for original in originals {
      for _ in 0..<Self.mutations {
        readAll(index: Mutation.mutated(original, using: &random))
      }
    }
  }

  @Test("random bytes do not trap a view", arguments: shards)
  func noise(shard: Int) throws {
    let layout = try SampleRecords.eachTypeOnce()
    let locations = layout.fields.compactMap { layout.location(of: $0.id) }
    var random = SeededGenerator(seed: 0xE0 + UInt64(shard))
    for size in 0..<600 {
      var bytes = (0..<size).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      readAll(block: bytes, layout: layout, locations: locations)
      readAll(index: bytes)
      readAll(record: bytes, isWide: size % 2 == 0, layout: layout, locations: locations)
      // After the magic, so that more of the header is accepted.
      guard size >= 6 else { continue }
      for version in 1...2 as ClosedRange<UInt8> {
        bytes.replaceSubrange(0..<6, with: [0x46, 0x43, 0x42, 0x31, version, 0])
        readAll(block: bytes, layout: layout, locations: locations)
      }
    }
  }

  @Test("sizes close to an overflow are refused")
  func overflow() throws {
    let layout = try SampleRecords.singleText()
    let original = makeBlock([[.text("x")]], layout: layout, seed: 1)
    let ones = [UInt8](repeating: 0xFF, count: 4)
    var block = original
    block.replaceSubrange(28..<32, with: ones)
    #expect(errorCode { () throws(RecordError) in _ = try BlockView(block.span.bytes) } == .damaged)
    block[36] = 1
    #expect(errorCode { () throws(RecordError) in _ = try BlockView(block.span.bytes) } == .damaged)
    var index = IndexBlockTests.block(lower: nil, upper: nil)
    index.replaceSubrange(20..<24, with: ones)
    #expect(
      errorCode { () throws(RecordError) in _ = try IndexBlockView(index.span.bytes) } == .damaged)
    // A list that counts 4 294 967 295 elements.
    let lists = try RecordLayout(schemaID: 1, fields: [RecordField(id: 1, type: .textList)])
    let bytes: [UInt8] = [1] + ones + [1, 2, 3]
    let record = try RecordView(bytes.span.bytes, layout: lists, isWide: true)
    #expect(errorCode { () throws(RecordError) in _ = try record.textList(1) } == .damaged)
  }

  private func attack(_ original: [UInt8], shard: Int, layout: RecordLayout) throws {
    let locations = layout.fields.compactMap { layout.location(of: $0.id) }
    var random = SeededGenerator(seed: 0xC0 + UInt64(shard))
    for _ in 0..<Self.mutations {
      let block = Mutation.mutated(original, using: &random)
      readAll(block: block, layout: layout, locations: locations)
    }
  }
}
