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

  @Test(
    "is read within a read of itself, and ends behind the one that ends it",
    .timeLimit(.minutes(10))
  )
  func nested() throws {
    let snapshot = try feed.database.snapshot(named: "nested")
    try feed.ingest(new)
    var counts: [Int] = []
    try snapshot.forEachRecord(in: FeedName("feed"), from: 2_998) { _, _ throws(StoreError) in
      counts.append(try snapshot.feeds()[0].recordCount)
      if counts.count == 2 { snapshot.end() }
      return true
    }
    #expect(counts == [3_000, 3_000])
    #expect(try code { _ = try snapshot.feeds() } == .misuse)
  }

  @Test("is read by several threads, one after the other", .timeLimit(.minutes(10)))
  func threads() async throws {
    let snapshot = try feed.database.snapshot(named: "threads")
    try feed.ingest(new)
    let name = try FeedName("feed")
    let counts = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<8 {
        group.addTask {
          var count = 0
          try snapshot.forEachRecord(in: name) { _, _ in
            count += 1
            return true
          }
          return count
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(counts == Array(repeating: 3_000, count: 8))
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
