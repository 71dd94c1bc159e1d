import FeedCore
import TestSupport
import Testing

@Suite("Documents as Swift values")
struct DocumentValueTests {
  private struct User: Codable, Equatable {
    var id: Int
    var name: String
    var tags: [String]
  }

  private static let users = [
    User(id: 1, name: "Ana", tags: ["a", "b"]), User(id: 2, name: "Bo \u{1F600}", tags: []),
  ]

  @Test("any Encodable values become a feed, and are read by their key")
  func roundTrip() async throws {
    let directory = try TemporaryDirectory(inMemory: true)
    let database = try FeedDatabase.open(at: directory.path)
    let name = try FeedName("users")
    #expect(try database.insert(Self.users, into: name, key: "id").records == 2)
    let feed = try database.existingFeed(named: name)
    let record = try #require(try feed.record(withKey: "2"))
    #expect(try record.decode(User.self) == Self.users[1])
    #expect(record.key == "2" && record.position == 1)
    #expect(try feed.record(withKey: "3") == nil)
    var all: [User] = []
    for try await record in feed.records { all.append(try record.decode(User.self)) }
    #expect(all == Self.users)
    // An append adds only records that are not in the feed.
    let more = [Self.users[0], User(id: 3, name: "Cy", tags: [])]
    try database.insert(more, into: name, key: nil, appends: true)
    #expect(try database.existingFeed(named: name).description.recordCount == 3)
  }

  @Test("an append of equal values adds none of them")
  func repeatedAppend() throws {
    struct Wide: Encodable {
      var id: Int
      var a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8
    }
    let directory = try TemporaryDirectory(inMemory: true)
    let database = try FeedDatabase.open(at: directory.path)
    let name = try FeedName("wide")
    let values = (0..<20).map { Wide(id: $0) }
    try database.insert(values, into: name, key: "id")
    try database.insert(values, into: name, key: nil, appends: true)
    let feed = try database.existingFeed(named: name)
    #expect(feed.description.recordCount == 20)
    // Equal values may have equal encodings by chance. Only sorted keys have this order.
    let record = try #require(try feed.record(withKey: "7"))
    let keys = record.json.members?.map { $0.key }
    #expect(keys == ["a", "b", "c", "d", "e", "f", "g", "h", "id"])
  }

  @Test("a value in a record is found by a path or by a JSON Pointer")
  func paths() async throws {
    let directory = try TemporaryDirectory(inMemory: true)
    let database = try FeedDatabase.open(at: directory.path)
    try database.insert(Self.users, into: FeedName("users"), key: "name")
    let feed = try database.existingFeed(named: FeedName("users"))
    let record = try #require(try feed.record(withKey: "Ana"))
    #expect(record["id"]?.integer == 1 && record["id"]?.number == 1)
    #expect(record["tags[1]"]?.string == "b" && record["/tags/0"]?.string == "a")
    #expect(record["tags"]?.elements?.map(\.string) == ["a", "b"])
    #expect(record["none"] == nil && record["tags[7]"] == nil && record["a["] == nil)
    #expect(record.json.members?.count == 3)
    #expect(record["name"]?.integer == nil && record["name"]?.isNull == false)
  }
}
