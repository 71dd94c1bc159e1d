import FeedStorage
import LMDB
import TestSupport
import Testing

/// A block of another segment, with the number of a block that was read and verified.
@Suite struct MisplacedBlockTests {
  let copy: StoreCopy

  init() throws {
    let feed = try TestFeed { $0.smallFeedBytes = 0 }
    try feed.ingest(TestFeed.Record.numbered(0..<300))
    try feed.ingest(TestFeed.Record.numbered(300..<340), mode: .append)
    copy = try StoreCopy(of: feed)
  }

  @Test("a block under a key of another segment is detected")
  func otherSegment() throws {
    let keys = try withExtendedLifetime(try FeedDatabase.open(at: copy.directory.path)) {
      try copy.change("blocks") { keys, _, _ throws(LMDBError) in keys }
    }
    let (own, other) = (try #require(keys.first), try #require(keys.last))
    // Both blocks then have the same key in LMDB's page, which no write can cause.
    try copy.replace(other, by: own)
    let database = try FeedDatabase.open(at: copy.directory.path)
    // A scan does not cache the location of the block, so the lookup descends to it.
    var first: TestFeed.Record?
    try database.forEachRecord(in: FeedName("feed")) { view, _ throws(StoreError) in
      first = try TestFeed.Record(view)
      return false
    }
    #expect(first?.key == "key 0")
    #expect(try values("key 19", database) == nil)
    // The location of the block is now cached, so no descent is misled.
    #expect(try values("key 0", database) == ["value 0"])
    #expect(try values("key 19", database) == ["value 19"])
  }

  @Test("an index block under a key of another segment is detected")
  func otherIndexBlock() throws {
    let database = try FeedDatabase.open(at: copy.directory.path)
    let names = (0..<300).map { "key \($0)" }
    for name in names { _ = try values(name, database) }
    try copy.change("index") { keys, table, transaction throws(LMDBError) in
      guard var key = keys.first, let other = keys.last else { return }
      var block: [UInt8] = []
      if let bytes = try transaction.get(table, other.span.bytes) {
        block = Array(copying: bytes)
      }
      // The middle of the range of hashes.
      key[9] = 0x80
      try transaction.put(table, key.span.bytes, block.span.bytes)
    }
    let found = try names.map { try values($0, database) }
    #expect(found.contains(nil) && !found.contains([]))
  }

  private func values(_ key: String, _ database: FeedDatabase) throws -> [String]? {
    var values: [String] = []
    let bytes = Array(key.utf8)
    let failure = try code {
      try database.forEachRecord(in: FeedName("feed"), withKeyBytes: bytes.span.bytes) {
        view, _ throws(StoreError) in
        values.append(try TestFeed.Record(view).value)
        return true
      }
    }
    return failure == .damaged ? nil : values
  }
}
