import FeedRecord
import FeedStorage
import TestSupport
import Testing

// The first lookup of a block caches its location, and the next ones use it.
@Suite("A repeated lookup") struct RepeatedLookupTests {
  private let feed: TestFeed
  private let keys: [String]
  // Several blocks of records and of the index.
  private static let count = 30_000

  init() throws {
    feed = try TestFeed()
    keys = (0..<Self.count).map { "key \($0)" }
    try feed.ingest(TestFeed.Record.numbered(0..<Self.count, value: "old"))
    try requireAll("old")
  }

  private func requireAll(_ value: String) throws {
    for (number, key) in keys.enumerated() {
      try #require(try feed.values(key) == ["\(value) \(number)"])
      try #require(try feed.values("no " + key) == [])
    }
  }

  @Test("finds each record and verifies absent keys")
  func again() throws { try requireAll("old") }

  @Test("finds the new records in the new feed and the old records in the old feed")
  func replaced() throws {
    let before = try feed.database.existingFeed(named: FeedName("feed"))
    for round in 0..<3 {
      try feed.ingest(TestFeed.Record.numbered(0..<Self.count, value: "new \(round)"))
      try feed.database.sweep()
      try requireAll("new \(round)")
      for number in stride(from: 0, to: Self.count, by: 101) {
        let key = Array(keys[number].utf8)
        let count = try before.forEachRecord(withKeyBytes: key.span.bytes) { view, _ in
          let value = try TestFeed.Record(view).value
          #expect(value == "old \(number)")
        }
        #expect(count == 1)
      }
    }
  }

  @Test("finds the appended and the earlier records")
  func appended() throws {
    let feed = try TestFeed { $0.smallFeedBytes = 0 }
    try feed.ingest(TestFeed.Record.numbered(0..<Self.count))
    for key in keys { try #require(try feed.values(key).count == 1) }
    try feed.ingest(TestFeed.Record.numbered(0..<Self.count, value: "more"), mode: .append)
    for _ in 0..<2 {
      for (number, key) in keys.enumerated() {
        try #require(try feed.values(key) == ["value \(number)", "more \(number)"])
      }
    }
  }

  @Test("finds the same after a prefetch of any keys", arguments: [1, 2])
  func prefetched(segments: Int) throws {
    let feed = try TestFeed { $0.smallFeedBytes = 0 }
    try feed.ingest(TestFeed.Record.numbered(0..<Self.count))
    if segments == 2 { try feed.ingest([.init(key: "last", value: "")], mode: .append) }
    let stored = try feed.database.existingFeed(named: FeedName("feed"))
    // In the first round no location is cached.
    for _ in 0..<2 {
      for start in stride(from: 0, to: Self.count, by: 15) {
        let some = keys[start..<min(start + 15, Self.count)] + ["no key", "last", "\(start)"]
        let hashes = some.map { KeyHash.hash(Array($0.utf8).span.bytes) }
        stored.prefetchRecords(withKeyHashes: hashes.span)
        for number in start..<min(start + 15, Self.count) {
          try #require(try feed.values(keys[number]) == ["value \(number)"])
        }
        try #require(try feed.values("no key") == [])
      }
    }
    stored.prefetchRecords(withKeyHashes: [UInt64]().span)
  }

  @Test("finds the same while other feeds are published and deleted")
  func others() throws {
    for number in 0..<20 {
      try feed.ingest(TestFeed.Record.numbered(0..<3_000), into: "other-\(number % 3)")
      try feed.database.delete(FeedName("other-\(number % 3)"))
      try feed.database.sweep()
    }
    try requireAll("old")
  }

  @Test("finds the same in a file that replaced the previous one")
  func moved() throws {
    _ = try feed.database.compact()
    try requireAll("old")
    let other = try TemporaryDirectory()
    let backup = other.path + "/backup"
    _ = try feed.database.backUp(to: backup)
    try feed.ingest(TestFeed.Record.numbered(0..<Self.count, value: "new"))
    try requireAll("new")
    _ = try FeedDatabase.restore(feed.directory.path, from: backup)
    try requireAll("old")
  }

  @Test("works in every thread while the feed is replaced", .timeLimit(.minutes(10)))
  func threads() async throws {
    let database = feed.database
    let name = try FeedName("feed")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for reader in 0..<3 {
        group.addTask {
          for number in 0..<60_000 {
            let key = (number * 7_919 + reader) % Self.count
            let bytes = Array("key \(key)".utf8)
            var values: [String] = []
            try database.forEachRecord(in: name, withKeyBytes: bytes.span.bytes) {
              view, _ throws(StoreError) in
              values.append(try TestFeed.Record(view).value)
              return true
            }
            try #require(values == ["old \(key)"] || values == ["new \(key)"])
          }
        }
      }
      for round in 0..<6 {
        try feed.ingest(
          TestFeed.Record.numbered(0..<Self.count, value: round.isMultiple(of: 2) ? "new" : "old"))
      }
      try await group.waitForAll()
    }
  }
}
