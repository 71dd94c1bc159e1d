@_spi(Ingest) import FeedRecord
import FeedStorage
import TestSupport
import Testing

@Suite struct KeyIndexTests {
  @Test("every record is found after spilling and merging in several tiers")
  func merge() throws {
    let feed = try TestFeed { $0.indexPairs = 150 }
    // 1 334 runs: two tiers of 32 beyond the first.
    let records = TestFeed.Record.numbered(0..<200_000)
    try feed.ingest(records)
    for record in records { try #require(try feed.values(record.key) == [record.value]) }
    for number in 200_000..<201_000 { #expect(try feed.values("key \(number)") == []) }
  }

  @Test(
    "all records of a key that fills several index blocks are found in order",
    arguments: [700, 1 << 18])
  func duplicates(indexPairs: Int) throws {
    let feed = try TestFeed { $0.indexPairs = indexPairs }
    let records = (0..<40_000).map { number in
      TestFeed.Record(key: number.isMultiple(of: 2) ? "same" : "key \(number)", value: "\(number)")
    }
    try feed.ingest(records)
    #expect(try feed.values("same") == stride(from: 0, to: 40_000, by: 2).map { "\($0)" })
    for number in stride(from: 1, to: 40_000, by: 2) {
      try #require(try feed.values("key \(number)") == ["\(number)"])
    }
    #expect(try feed.values("none") == [])
  }

  @Test(
    "every record is found if the index is sorted in parts",
    arguments: [70_000, 1 << 20])
  func parts(indexPairs: Int) throws {
    let feed = try TestFeed { $0.indexPairs = indexPairs }
    // The first argument gives two full runs and a short one, the second a single index.
    let records = TestFeed.Record.numbered(0..<150_000)
    try feed.ingest(records + [records[7]])
    for record in records where record != records[7] {
      try #require(try feed.values(record.key) == [record.value])
    }
    #expect(try feed.values(records[7].key) == [records[7].value, records[7].value])
    #expect(try feed.values("key 150000") == [])
  }

  @Test("runs are removed when they are merged")
  func runs() throws {
    let feed = try TestFeed { $0.indexPairs = 1_000 }
    try feed.ingest(TestFeed.Record.numbered(0..<50_000))
    // 50 000 pairs in blocks of 8 185.
    #expect(try TestFeed.count("index", feed.directory.path) == 7)
  }

  @Test("keys that share the stored half of their hash are distinguished")
  func collisions() throws {
    var seen: [UInt32: String] = [:]
    var records: [TestFeed.Record] = []
    // Among 300 000 keys some ten pairs are expected.
    for number in 0..<300_000 {
      let key = "key \(number)"
      let half = UInt32(KeyHash.hash(key.utf8.span.bytes) >> 32)
      guard let other = seen.updateValue(key, forKey: half) else { continue }
      records += [
        TestFeed.Record(key: key, value: "\(number)"), TestFeed.Record(key: other, value: "other"),
      ]
    }
    try #require(!records.isEmpty)
    let feed = try TestFeed()
    try feed.ingest(records)
    for record in records { #expect(try feed.values(record.key) == [record.value]) }
  }
}

@Suite("Index pairs that exceed one transaction")
struct ManyPairsTests {
  private let layout: RecordLayout

  init() throws {
    let fields = [
      RecordField(id: 1, type: .text), RecordField(id: 2, type: .textList),
      RecordField(id: 3, type: .textList), RecordField(id: 4, type: .textList),
    ]
    layout = try RecordLayout(schemaID: 8, fields: fields)
  }

  @Test("a record with very long indexed lists is found by each element")
  func longLists() throws {
    let feed = try TestFeed { $0.indexPairs = 1 << 12 }
    let writer = try TestFeed.begin(feed.database, kind: "lists", layout: layout) {
      $0.indexedFields = [2, 3, 4]
    }
    let count = 30_000
    let key = Array("key".utf8)
    var encoder = RecordEncoder(layout: layout)
    let list = 4 * count + RecordEncoder.listOverhead(count: count)
    encoder.begin(variableByteCount: key.count + 3 * list)
    encoder.setText(0, key.span.bytes)
    for field in 1...3 {
      encoder.beginList(field, count: count)
      for number in 0..<UInt32(count) { encoder.appendElement([number].span.bytes) }
    }
    encoder.end(keyHash: KeyHash.hash(key.span.bytes))
    try writer.append(encoder)
    try writer.publish()
    for field in [2, 3, 4] as [UInt16] {
      for number in [0, UInt32(count) / 2, UInt32(count) - 1, UInt32(count)] {
        let found = try feed.database.existingFeed(named: FeedName("feed"))
          .forEachRecord(whereField: field, hasBytes: [number].span.bytes) { _, _ in }
        #expect(found == (number < count ? 1 : 0))
      }
    }
  }
}
