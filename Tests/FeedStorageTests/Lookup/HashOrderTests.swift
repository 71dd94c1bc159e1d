import FeedStorage
import TestSupport
import Testing

@Suite("A walk in the order of hashes") struct HashOrderTests {
  private let feed: TestFeed

  init() throws { feed = try TestFeed() }

  /// The keys of the visited records, and the number of steps.
  private func walk(_ names: [String], limit: Int) throws -> (keys: [String], steps: Int) {
    var keys: [String] = []
    var steps = 0
    var next: UInt32? = 0
    while let start = next {
      next = try feed.database.forEachRecord(
        of: try names.compactMap { try feed.database.feed(named: FeedName($0)) },
        fromKeyHash: start, limit: limit
      ) { view, feed throws(StoreError) in
        keys.append("\(feed.description.name) \(try TestFeed.Record(view).key)")
      }
      steps += 1
    }
    return (keys, steps)
  }

  @Test("visits every record of all segments of its feeds once", arguments: [1, 7, 100_000])
  func everyRecord(_ limit: Int) throws {
    try feed.ingest(TestFeed.Record.numbered(0..<900, value: "a"))
    try feed.ingest(TestFeed.Record.numbered(900..<1_000, value: "b"), mode: .append)
    try feed.ingest(TestFeed.Record.numbered(0..<100, value: "c"), into: "other")
    let (keys, steps) = try walk(["feed", "none", "other"], limit: limit)
    #expect(keys.count == 1_100)
    #expect(Set(keys).count == 1_100)
    #expect(steps > 1_000 / (limit * 3))
  }

  @Test("skips further records of a key after a thousand and visits the following keys")
  func sharedKey() throws {
    let shared = TestFeed.Record(key: "same", value: "x")
    try feed.ingest(
      TestFeed.Record.numbered(0..<50, value: "a") + Array(repeating: shared, count: 2_500))
    let keys = try walk(["feed"], limit: 10).keys
    #expect(Set(keys).count == 51)
    #expect(keys.count == 1_050)
  }

  @Test("a store has the same state until something is published")
  func states() throws {
    let first = try feed.database.state()
    #expect(try feed.database.state() == first)
    try feed.ingest(TestFeed.Record.numbered(0..<3, value: "a"))
    #expect(try feed.database.state() != first)
  }
}
