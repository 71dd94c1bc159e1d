import FeedRecord
import FeedStorage
import LMDB
import TestSupport
import Testing

@Suite struct FeedDatabaseTests {
  @Test("a published feed returns its records and its description")
  func publish() throws {
    let feed = try TestFeed()
    let records = TestFeed.Record.numbered(0..<5_000)
    let published = try feed.ingest(
      records, referenceSeconds: 123.456, envelope: #"{"info":{},"results":[]}"#)
    #expect(try feed.all() == records)
    #expect(published.recordCount == 5_000)
    #expect(published.kind == "pairs")
    #expect(published.referenceSeconds == 123.456)
    #expect(published.envelope == Array(#"{"info":{},"results":[]}"#.utf8))
    #expect(published.layout == TestFeed.layout)
    #expect(try feed.database.feedDescription(named: FeedName("feed")) == published)
    #expect(try feed.database.feeds() == [published])
  }

  @Test("a feed persists after closing and reopening the store")
  func reopen() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/store"
    for round in 0..<2 {
      let database = try FeedDatabase.open(at: path)
      if round == 0 {
        let writer = try TestFeed.begin(database)
        try writer.append(TestFeed.Record.numbered(0..<10))
        try writer.publish()
      } else {
        #expect(try TestFeed.all(database) == TestFeed.Record.numbered(0..<10))
      }
    }
  }

  @Test("a feed without records exists")
  func empty() throws {
    let feed = try TestFeed()
    try feed.ingest([])
    #expect(try feed.all() == [])
    #expect(try feed.values("key") == [])
    #expect(try feed.database.feeds().map(\.recordCount) == [0])
  }

  @Test("feeds are listed by name")
  func names() throws {
    let feed = try TestFeed()
    for name in ["b", "a", "c"] { try feed.ingest(TestFeed.Record.numbered(0..<1), into: name) }
    #expect(try feed.database.feeds().map(\.name.text) == ["a", "b", "c"])
  }

  @Test("a feed that does not exist is not found")
  func missing() throws {
    let feed = try TestFeed()
    #expect(try feed.database.feedDescription(named: FeedName("feed")) == nil)
    #expect(try code { _ = try feed.all() } == .notFound)
    #expect(try code { _ = try feed.values("key") } == .notFound)
    #expect(try feed.database.delete(FeedName("feed")) == false)
  }

  @Test("a missing store that may not be created is not found")
  func missingStore() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/store"
    let options = FeedDatabase.Options(createsMissing: false)
    #expect(try code { _ = try FeedDatabase.open(at: path, options: options) } == .notFound)
    #expect(directory.names() == [])
    _ = try FeedDatabase.open(at: path)
    _ = try FeedDatabase.open(at: path, options: options)
  }

  @Test("reading begins at any position", arguments: [0, 1, 700, 701, 4_999, 5_000, 6_000])
  func offset(position: Int) throws {
    let feed = try TestFeed()
    try feed.ingest(TestFeed.Record.numbered(0..<5_000))
    #expect(
      try feed.all(from: position) == TestFeed.Record.numbered(min(position, 5_000)..<5_000))
  }

  @Test("a body ends the scan, and its error is thrown to the caller")
  func ending() throws {
    let feed = try TestFeed()
    try feed.ingest(TestFeed.Record.numbered(0..<10))
    var count = 0
    try feed.database.forEachRecord(in: FeedName("feed")) { _, _ throws(StoreError) in
      count += 1
      return count < 3
    }
    #expect(count == 3)
    let failure = try code {
      try feed.database.forEachRecord(in: FeedName("feed")) { _, _ throws(StoreError) in
        throw StoreError(.cancelled, "enough")
      }
    }
    #expect(failure == .cancelled)
  }

  @Test("a deleted feed and its blocks are removed")
  func delete() throws {
    let feed = try TestFeed()
    try feed.ingest(TestFeed.Record.numbered(0..<1_000))
    try feed.ingest(TestFeed.Record.numbered(0..<10), into: "other")
    #expect(try feed.database.delete(FeedName("feed")))
    #expect(try feed.database.feeds().map(\.name.text) == ["other"])
    #expect(try feed.storedBlocks() == 1)
    #expect(try feed.all("other") == TestFeed.Record.numbered(0..<10))
  }

  @Test("a record of 12 MB is stored and read completely")
  func largeRecord() throws {
    let feed = try TestFeed()
    let large = TestFeed.Record(key: "large", value: String(repeating: "é", count: 6 << 20))
    let records = [TestFeed.Record(key: "a", value: "b"), large, .init(key: "c", value: "d")]
    try feed.ingest(records)
    #expect(try feed.all() == records)
    #expect(try feed.values("large") == [large.value])
    #expect(try feed.storedBlocks() == 3)
  }

  @Test("a store of a newer format is refused")
  func newerFormat() throws {
    let feed = try TestFeed()
    let environment = try Environment.open(
      feed.directory.path + "/feeds", .init(tables: ["meta"]))
    let table = try environment.table("meta")
    // "FCST", version 255, an environment id, and the checksum of these.
    var row: [UInt8] = [0x46, 0x43, 0x53, 0x54, 255, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]
    let checksum = KeyHash.hash(row.span.bytes)
    for shift in stride(from: 0, to: 64, by: 8) {
      row.append(UInt8(truncatingIfNeeded: checksum >> UInt64(shift)))
    }
    try environment.write { (transaction: inout WriteTransaction) throws(LMDBError) in
      try transaction.put(table, Array("format".utf8).span.bytes, row.span.bytes)
    }
    #expect(try code { _ = try FeedDatabase.open(at: feed.directory.path) } == .incompatible)
  }
}

extension TestFeed {
  /// Blocks of records in the store, of whatever generation.
  func storedBlocks() throws -> Int { try Self.count("blocks", directory.path) }

  static func count(_ table: String, _ path: String) throws -> Int {
    let environment = try Environment.open(path + "/feeds", .init(tables: []))
    let table = try environment.table(table)
    return try environment.read { transaction throws(LMDBError) in
      try transaction.count(table)
    }
  }
}

@Suite struct FeedNameTests {
  @Test(
    "a name has letters, digits, dots, underscores and hyphens",
    arguments: ["a", "A-b_c.9", "universities", "-", String(repeating: "x", count: 64)])
  func valid(text: String) throws {
    #expect(try FeedName(text).text == text)
  }

  @Test(
    "anything else is refused",
    arguments: [
      "", ".", ".hidden", "a/b", "a b", "é", "a\n", "..", String(repeating: "x", count: 65),
    ])
  func invalid(text: String) throws {
    #expect(try code { _ = try FeedName(text) } == .invalidName)
  }
}
