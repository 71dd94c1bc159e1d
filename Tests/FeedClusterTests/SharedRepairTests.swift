import FeedCluster
import FeedStorage
import TestSupport
import Testing

@Suite("A repair of a feed in a cluster", .enabled(if: RedisCluster.isAvailable), .serialized)
struct SharedRepairTests {
  @Test("stores missing and damaged blocks again, and no others")
  func blocks() async throws {
    let site = try await Site()
    let (shared, name) = (try site.connect(), try FeedName(events))
    let database = try site.open("a")
    try ingest(document(0..<30_000), into: database)
    try ingest(document(30_000..<40_000), into: database, append: true)
    let sound = try shared.repair(name, from: database) { false }
    // The append has replaced the schema, which expires.
    var keys: [String] = []
    for key in try await site.keys("fcb:*").shuffled() {
      if try await site.command("TTL", key) == "-1" { keys.append(key) }
    }
    #expect(sound.repairedCount == 0 && sound.valueCount == keys.count)
    _ = try await site.command("DEL", keys[0])
    _ = try await site.command("SETRANGE", keys[1], "20", "damage")
    _ = try await site.command("APPEND", keys[2], "more")
    #expect(try !shared.check().isSound)
    let report = try shared.repair(name, from: database) { false }
    #expect(report.repairedCount == 3 && report.valueCount == sound.valueCount)
    #expect(try shared.check().findings == [])
    let other = try site.open("b")
    try other.refresh(name)
    #expect(try records(other) == records(database))
    for key in keys { #expect(try await site.command("TTL", key) == "-1") }
    #expect(try await site.keys("fco:{\(events)}:own") == [])
    await site.cluster.close()
  }

  @Test("stores the parts of a schema again")
  func schema() async throws {
    let site = try await Site()
    let database = try site.open("a")
    try ingest(document(0..<10), into: database)
    let key = try #require(try await site.keys("fcb:*:s:*").first)
    _ = try await site.command("DEL", key)
    let name = try FeedName(events)
    #expect(throws: StoreError.self) { try site.open("b").refresh(name) }
    #expect(try site.connect().repair(name, from: database) { false }.repairedCount == 1)
    let other = try site.open("b")
    try other.refresh(name)
    #expect(try records(other).count == 10)
    await site.cluster.close()
  }

  @Test("needs the latest records, a sound copy, and the feed for itself")
  func refusals() async throws {
    let site = try await Site()
    let (shared, name) = (try site.connect(), try FeedName(events))
    let (first, second) = (try site.open("a"), try site.open("b"))
    func refusal(_ name: FeedName, from database: FeedDatabase) -> StoreError.Code? {
      #expect(throws: StoreError.self) { try shared.repair(name, from: database) { false } }?.code
    }
    #expect(refusal(name, from: first) == .notFound)
    try ingest(document(0..<10, value: "letters"), into: first)
    #expect(refusal(name, from: second) == .conflict)
    let owner = "fco:{\(events)}:own"
    _ = try await site.command("SET", owner, "another")
    #expect(refusal(name, from: first) == .busy)
    _ = try await site.command("DEL", owner)
    let before = try await site.keys("fcb:*")
    for key in before { _ = try await site.command("DEL", key) }
    try damage("letters5", in: first)
    #expect(refusal(name, from: first) == .damaged)
    try ingest(document(0..<10), into: second)
    #expect(refusal(name, from: first) == .conflict)
    await site.cluster.close()
  }
}
