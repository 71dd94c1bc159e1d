import FeedRecord
import FeedStorage
import TestSupport
import Testing

@Suite("A named snapshot") struct FeedSnapshotTests {
  private let feed: TestFeed
  private let old = TestFeed.Record.numbered(0..<3_000, value: "old")
  private let new = TestFeed.Record.numbered(0..<500, value: "new")

  init() throws {
    feed = try TestFeed()
    try feed.ingest(old) { $0.indexedFields = [2] }
  }

  private func all(_ snapshot: FeedSnapshot, from offset: Int = 0) throws -> [TestFeed.Record] {
    var records: [TestFeed.Record] = []
    try snapshot.forEachRecord(in: FeedName("feed"), from: offset) { view, _ throws(StoreError) in
      records.append(try TestFeed.Record(view))
      return true
    }
    return records
  }

  private func values(_ snapshot: FeedSnapshot, _ key: String) throws -> [String] {
    var values: [String] = []
    let bytes = Array(key.utf8)
    try snapshot.forEachRecord(in: FeedName("feed"), withKeyBytes: bytes.span.bytes) {
      view, _ throws(StoreError) in
      values.append(try TestFeed.Record(view).value)
      return true
    }
    return values
  }

  @Test("shows its moment in every call, whatever is published, deleted and swept meanwhile")
  func moment() throws {
    let snapshot = try feed.database.snapshot(named: "report")
    try feed.ingest(new)
    try feed.ingest(new, into: "other")
    #expect(try snapshot.feeds().map(\.recordCount) == [3_000])
    #expect(try all(snapshot) == old)
    try feed.database.delete(FeedName("feed"))
    try feed.database.sweep()
    #expect(try all(snapshot, from: 2_990) == Array(old[2_990...]))
    #expect(try values(snapshot, "key 7") == ["old 7"])
    #expect(try values(snapshot, "none") == [])
    #expect(try snapshot.feed(named: FeedName("other")) == nil)
    let bytes = Array("old 9".utf8)
    #expect(
      try snapshot.forEachRecord(
        in: FeedName("feed"), whereField: 2, hasBytes: bytes.span.bytes
      ) { _, _ in true } == 1)
    #expect(try feed.database.feed(named: FeedName("feed")) == nil)
  }

  @Test("is told with its name until it ends, and cannot be read after that")
  func metered() throws {
    let first = try feed.database.snapshot(named: "first")
    var second: FeedSnapshot? = try feed.database.snapshot(named: "second")
    #expect(second?.name == "second")
    #expect(feed.database.snapshots.map(\.name) == ["first", "second"])
    #expect(feed.database.snapshots.allSatisfy { $0.age > .zero })
    second = nil
    #expect(feed.database.snapshots.map(\.name) == ["first"])
    first.end()
    #expect(feed.database.snapshots.isEmpty)
    #expect(try code { _ = try first.feeds() } == .misuse)
  }
}
