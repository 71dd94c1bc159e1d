import FeedFeature
import FeedPayloads
import FeedStorage
import Testing

@Suite("A leased feed")
struct LeasedFeedTests {
  private let name: FeedName
  private let database: FeedDatabase

  init() throws {
    name = try FeedName("universities")
    database = try FeedDatabase.open(at: "/dev/null")
  }

  @Test("is read to its end when it was replaced twice meanwhile")
  func replaced() throws {
    try insert("old", count: 3)
    let feed = try database.leasedFeed(named: name)
    #expect(try names(feed, from: 0, limit: 1) == ["old 0"])
    try insert("new", count: 1)
    try insert("newer", count: 1)
    #expect(try names(feed, from: 1, limit: 5) == ["old 1", "old 2"])
    #expect(feed.description.recordCount == 3)
  }

  @Test("has no records behind its last one")
  func end() throws {
    try insert("old", count: 3)
    #expect(try names(database.leasedFeed(named: name), from: 3, limit: 5) == [])
  }

  @Test("does not keep what nobody leases any more")
  func given() throws {
    try insert("old", count: 3)
    var feed: LeasedFeed? = try database.leasedFeed(named: name)
    try insert("new", count: 1)
    try insert("newer", count: 1)
    let kept = try database.storeStatistics().deadGenerations
    #expect(feed?.description.recordCount == 3)
    feed = nil
    try insert("newest", count: 1)
    #expect(try database.storeStatistics().deadGenerations < kept)
  }

  private func insert(_ prefix: String, count: Int) throws {
    let universities = (0..<count).map { number in
      University(
        name: "\(prefix) \(number)", country: "Turkey", alphaTwoCode: "TR", stateProvince: nil,
        webPages: [])
    }
    try database.insert(universities, into: name, referenceSeconds: 1)
  }

  private func names(_ feed: LeasedFeed, from: Int, limit: Int) throws -> [String] {
    var names: [String] = []
    try feed.forEachRecord(from: from) { record, _ throws(StoreError) in
      names.append((try? University(record).name) ?? "damaged")
      return names.count < limit
    }
    return names
  }
}
