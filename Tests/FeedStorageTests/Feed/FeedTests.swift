import FeedRecord
import FeedSchema
import FeedStorage
import TestSupport
import Testing

@Suite("A feed") struct FeedTests {
  private let store: TestFeed
  private let old = TestFeed.Record.numbered(0..<3_000, value: "old")
  private let new = TestFeed.Record.numbered(0..<500, value: "new")

  init() throws {
    store = try TestFeed()
    try store.ingest(old) { $0.indexedFields = [2] }
  }

  private func feed(_ name: String = "feed") throws -> Feed {
    try store.database.existingFeed(named: FeedName(name))
  }

  private func records(
    _ feed: Feed, from offset: Int = 0, limit: Int = .max
  ) throws -> [TestFeed.Record] {
    var records: [TestFeed.Record] = []
    try feed.forEachRecord(from: offset, limit: limit) { view, position in
      #expect(position == offset + records.count)
      records.append(try TestFeed.Record(view))
    }
    return records
  }

  private func values(_ feed: Feed, key: String) throws -> [String] {
    var values: [String] = []
    let bytes = Array(key.utf8)
    try feed.forEachRecord(withKeyBytes: bytes.span.bytes) { view, _ in
      values.append(try TestFeed.Record(view).value)
    }
    return values
  }

  @Test("shows the same records after it was replaced, deleted and swept")
  func generation() throws {
    let before = try feed()
    #expect(try records(before, limit: 1) == [old[0]])
    try store.ingest(new)
    try store.database.delete(FeedName("feed"))
    try store.database.sweep()
    #expect(try store.database.feed(named: FeedName("feed")) == nil)
    #expect(before.description.recordCount == 3_000)
    #expect(try records(before) == old)
    #expect(try records(before, from: 2_990) == Array(old[2_990...]))
    #expect(try values(before, key: "key 7") == ["old 7"])
    #expect(try values(before, key: "none") == [])
    let value = Array("old 9".utf8)
    #expect(try before.forEachRecord(whereField: 2, hasBytes: value.span.bytes) { _, _ in } == 1)
  }

  @Test("is the newest generation each time it is looked up")
  func newest() throws {
    let before = try feed()
    #expect(try store.database.isCurrent(before))
    try store.ingest(new)
    #expect(try !store.database.isCurrent(before))
    #expect(try records(feed()) == new)
    let renewed = try feed()
    try store.database.renew(FeedName("feed"), referenceSeconds: 5)
    #expect(try !store.database.isCurrent(renewed))
    #expect(try feed().description.referenceSeconds == 5)
    #expect(try records(renewed) == new)
  }

  @Test("has no records after its last one, and passes at most the requested number")
  func bounds() throws {
    let feed = try feed()
    #expect(try records(feed, from: 3_000) == [])
    #expect(try records(feed, from: 5_000, limit: 3) == [])
    #expect(try records(feed, from: 10, limit: 3) == Array(old[10..<13]))
    #expect(try records(feed, limit: 0) == [])
    #expect(try records(feed, from: -5, limit: 0) == [])
  }

  @Test("is removed by a sweep once the last reference to it is released")
  func released() throws {
    var first: Feed? = try feed()
    var second: Feed? = try feed()
    #expect(first?.description == second?.description)
    try store.ingest(new)
    try store.database.sweep()
    #expect(try store.database.storeStatistics().deadGenerations == 1)
    first = nil
    try store.database.sweep()
    #expect(try store.database.storeStatistics().deadGenerations == 1)
    #expect(try second.map { try records($0) } == old)
    second = nil
    try store.database.sweep()
    #expect(try store.database.storeStatistics().deadGenerations == 0)
  }

  @Test("is found again after all references to it were released")
  func leasedAgain() throws {
    for _ in 0..<3 {
      let before = try feed()
      #expect(try values(before, key: "key 1") == ["old 1"])
    }
    try store.ingest(new)
    for _ in 0..<3 { #expect(try values(feed(), key: "key 1") == ["new 1"]) }
    try store.database.sweep()
    #expect(try store.database.storeStatistics().deadGenerations == 0)
  }

  private struct Stopped: Error, Equatable {
    let position: Int
  }

  @Test("passes the error of a body to its caller")
  func errors() throws {
    let feed = try feed()
    var count = 0
    #expect(throws: Stopped(position: 4)) {
      try feed.forEachRecord { _, position in
        count += 1
        if position == 4 { throw Stopped(position: position) }
      }
    }
    #expect(count == 5)
    let key = Array("key 3".utf8)
    #expect(throws: Stopped(position: 3)) {
      try feed.forEachRecord(withKeyBytes: key.span.bytes) { _, position in
        throw Stopped(position: position)
      }
    }
    #expect(throws: Stopped(position: 3)) {
      try feed.withRecord(withKeyBytes: key.span.bytes) { _, position in
        throw Stopped(position: position)
      }
    }
  }

  @Test("returns the result of a body for the first record with a key")
  func first() throws {
    let feed = try feed()
    let (key, none) = (Array("key 3".utf8), Array("none".utf8))
    let found = try feed.withRecord(withKeyBytes: key.span.bytes) { view, position in
      (value: try TestFeed.Record(view).value, position: position)
    }
    #expect(found?.value == "old 3")
    #expect(found?.position == 3)
    #expect(try feed.withRecord(withKeyBytes: none.span.bytes) { _, position in position } == nil)
  }

  @Test("supports a nested read while it is replaced")
  func nested() throws {
    let feed = try feed()
    var found: [[String]] = []
    try feed.forEachRecord(from: 2_998) { _, position in
      try store.ingest(new)
      try store.database.sweep()
      found.append(try values(feed, key: "key \(position)"))
    }
    #expect(found == [["old 2998"], ["old 2999"]])
  }

  @Test("is read by several threads at once", .timeLimit(.minutes(10)))
  func threads() async throws {
    let feed = try feed()
    try store.ingest(new)
    let counts = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<8 {
        group.addTask {
          var count = 0
          try feed.forEachRecord { _, _ in count += 1 }
          return count
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(counts == Array(repeating: 3_000, count: 8))
  }

  @Test("is obtained by threads while others replace and sweep it", .timeLimit(.minutes(10)))
  func races() async throws {
    let database = store.database
    let name = try FeedName("feed")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<2_000 {
            let feed = try database.existingFeed(named: name)
            let key = Array("key 400".utf8)
            #expect(try feed.forEachRecord(withKeyBytes: key.span.bytes) { _, _ in } == 1)
          }
        }
      }
      for round in 0..<40 {
        try store.ingest(TestFeed.Record.numbered(0..<500, value: "round \(round)"))
        try database.sweep()
      }
      try await group.waitForAll()
    }
  }

  @Test("without a schema in the store or the catalog is read by the ids of its fields")
  func withoutSchema() throws {
    let feed = try feed()
    #expect(feed.schema.fields.map(\.name) == ["field1", "field2"])
    #expect(!feed.description.hasFieldNames)
    var line: [UInt8] = []
    let key = Array("key 1".utf8)
    #expect(try feed.appendJSON(ofKey: key.span.bytes, to: &line))
    #expect(
      String(decoding: line, as: UTF8.self) == #"{"field1":"key 1","field2":"old 1"}"#)
  }
}
