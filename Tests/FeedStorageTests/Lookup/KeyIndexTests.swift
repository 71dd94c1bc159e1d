import FeedRecord
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
    "a key with more records than an index block holds gives all of them in order",
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
    "every record is found where so many are sorted that it is done in parts",
    arguments: [70_000, 1 << 20])
  func parts(indexPairs: Int) throws {
    let feed = try TestFeed { $0.indexPairs = indexPairs }
    // With little memory two full runs and a short one, else one index.
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

  @Test("keys that share the half of their hash which an index holds are told apart")
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
