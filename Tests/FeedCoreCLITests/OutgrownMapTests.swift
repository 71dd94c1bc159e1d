import FeedCore
import FeedStorage
import TestSupport
import Testing

@Suite("A store that another process makes outgrow the map of this one")
struct OutgrownMapTests {
  @Test("is looked up as before, in the feeds of before and in those that came")
  func lookups() throws {
    let workspace = try Workspace()
    let old = try workspace.sample("feed", 20_000)
    #expect(try workspace.feedcore("ingest", old, "--feed", "old", "--quiet").status == 0)
    var options = FeedDatabase.Options()
    options.mapSize = 16 << 20
    let database = try FeedDatabase.open(at: workspace.store, options: options)
    let before = try keys(of: "old", database)
    #expect(before.count == 20_000)
    for key in before { try requireOne(key, in: "old", database) }
    // More than the map of this process, and other records.
    let new = try workspace.sample("feed", 150_000, seed: 2)
    #expect(try workspace.feedcore("ingest", new, "--feed", "new", "--quiet").status == 0)
    for key in before { try requireOne(key, in: "old", database) }
    let after = try keys(of: "new", database)
    #expect(after.count == 150_000)
    for _ in 0..<2 {
      for key in after.prefix(20_000) { try requireOne(key, in: "new", database) }
      for key in before { try requireOne(key, in: "old", database) }
    }
  }

  private func keys(of feed: String, _ database: FeedDatabase) throws -> [[UInt8]] {
    var keys: [[UInt8]] = []
    try database.forEachRecord(in: FeedName(feed)) { record, _ throws(StoreError) in
      keys.append(try Self.key(of: record))
      return true
    }
    return keys
  }

  private func requireOne(_ key: [UInt8], in feed: String, _ database: FeedDatabase) throws {
    var found: [[UInt8]] = []
    try database.forEachRecord(in: FeedName(feed), withKeyBytes: key.span.bytes) {
      record, _ throws(StoreError) in
      found.append(try Self.key(of: record))
      return true
    }
    try #require(found == [key])
  }

  private static func key(of record: RecordView) throws(StoreError) -> [UInt8] {
    do throws(RecordError) {
      guard let uuid = try record.uuid(1) else { return [] }
      return [uuid.high, uuid.low].flatMap { half in
        stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: half >> $0) }
      }
    } catch {
      throw StoreError(error)
    }
  }
}
