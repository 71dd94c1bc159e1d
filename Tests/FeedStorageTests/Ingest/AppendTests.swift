import FeedRecord
import FeedStorage
import Testing

@Suite struct AppendTests {
  let feed: TestFeed

  init() throws {
    feed = try TestFeed()
  }

  @Test("an append adds records that are not stored yet at the end and sets the new timestamp")
  func append() throws {
    try feed.ingest(TestFeed.Record.numbered(0..<100))
    let changed = TestFeed.Record(key: "key 50", value: "changed")
    let added = TestFeed.Record.numbered(90..<120) + [changed]
    let description = try feed.ingest(added, mode: .append, referenceSeconds: 9)
    #expect(try feed.all() == TestFeed.Record.numbered(0..<120) + [changed])
    #expect(try feed.values("key 50") == ["value 50", "changed"])
    #expect(try feed.values("key 95") == ["value 95"])
    #expect(description.recordCount == 121)
    #expect(description.referenceSeconds == 9)
  }

  @Test("a writer counts the stored and the dropped records")
  func counts() throws {
    try feed.ingest(TestFeed.Record.numbered(0..<10))
    let writer = try TestFeed.begin(feed.database, mode: .append)
    try writer.append(TestFeed.Record.numbered(5..<20))
    #expect(writer.recordCount == 10)
    #expect(writer.droppedCount == 5)
    try writer.publish()
  }

  @Test("appending to a feed that does not exist creates it")
  func missing() throws {
    try feed.ingest(TestFeed.Record.numbered(0..<10), mode: .append)
    #expect(try feed.all() == TestFeed.Record.numbered(0..<10))
  }

  @Test("appending another kind or layout is refused, and the feed is unchanged")
  func otherKind() throws {
    try feed.ingest(TestFeed.Record.numbered(0..<10))
    let layout = try RecordLayout(schemaID: 8, fields: [RecordField(id: 1, type: .text)])
    let database = feed.database
    let otherKind = try code {
      _ = try TestFeed.begin(database, mode: .append, kind: "others")
    }
    let otherLayout = try code {
      _ = try TestFeed.begin(database, mode: .append, layout: layout)
    }
    #expect(otherKind == .invalidKind)
    #expect(otherLayout == .invalidKind)
    #expect(try feed.all() == TestFeed.Record.numbered(0..<10))
    try feed.ingest(TestFeed.Record.numbered(10..<20), mode: .append)
  }

  @Test("an append compares all records that share a key")
  func oneKey() throws {
    func records(_ range: Range<Int>) -> [TestFeed.Record] {
      range.map { TestFeed.Record(key: "[Removed]", value: "\($0)") }
    }
    let feed = try TestFeed { $0.smallFeedBytes = 0 }
    try feed.ingest(records(0..<500) + TestFeed.Record.numbered(0..<100))
    // Appends twice, so that records of two segments are compared.
    for end in [800, 1_000] {
      let writer = try TestFeed.begin(feed.database, mode: .append)
      try writer.append(records(0..<end) + TestFeed.Record.numbered(50..<100))
      #expect(writer.droppedCount == (end == 800 ? 500 : 800) + 50)
      try writer.publish()
    }
    #expect(try feed.values("[Removed]") == (0..<1_000).map { "\($0)" })
  }

  // With this many records, some hashes share their first 28 bits.
  @Test("many records that share a key are distinguished")
  func veryManyOfOneKey() throws {
    func records(_ range: Range<Int>) -> [TestFeed.Record] {
      range.map { TestFeed.Record(key: "[Removed]", value: "\($0)") }
    }
    let feed = try TestFeed { $0.smallFeedBytes = 0 }
    try feed.ingest(records(0..<40_000))
    let writer = try TestFeed.begin(feed.database, mode: .append)
    try writer.append(records(20_000..<80_000))
    #expect(writer.droppedCount == 20_000)
    try writer.publish()
    #expect(try feed.all() == records(0..<80_000))
  }

  @Test("appends to a large feed create segments, which are merged before the limit")
  func segments() throws {
    let text = String(repeating: "x", count: 60_000)
    var expected = (0..<180).map { TestFeed.Record(key: "key \($0)", value: "\(text) \($0)") }
    try feed.ingest(expected)
    let blocks = try feed.storedBlocks()
    for round in 0..<20 {
      let added = TestFeed.Record(key: "added", value: "\(round)")
      try feed.ingest([added, expected[round]], mode: .append)
      expected.append(added)
      // Listed segments are not rewritten, and their number never exceeds the limit.
      #expect(try feed.storedBlocks() <= blocks + 16)
    }
    #expect(try feed.all() == expected)
    #expect(try feed.values("added") == (0..<20).map { "\($0)" })
    #expect(try feed.all(from: 190) == Array(expected[190...]))
    try feed.ingest(TestFeed.Record.numbered(0..<5))
    #expect(try feed.storedBlocks() == 1)
  }
}
