import FeedRecord
import FeedStorage
import LMDB
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite struct DamageTests {
  let copy: StoreCopy

  init() throws {
    let feed = try TestFeed()
    var records = TestFeed.Record.numbered(0..<20_000)
    records[15_000].value = "marked record"
    try feed.ingest(records)
    copy = try StoreCopy(of: feed)
  }

  @Test("a flipped bit in a record is detected by scans and lookups of its block only")
  func record() throws {
    try flip("marked record")
    let database = try FeedDatabase.open(at: copy.directory.path)
    #expect(try code { _ = try TestFeed.all(database) } == .damaged)
    #expect(try values("key 15000", database) == nil)
    #expect(try values("key 1", database) == ["value 1"])
  }

  @Test("a flipped bit in a description is detected")
  func description() throws {
    try flip("pairs")
    let database = try FeedDatabase.open(at: copy.directory.path)
    #expect(try code { _ = try database.feeds() } == .damaged)
  }

  @Test(
    "a missing block, also the last one, is detected by scans and lookups", arguments: [3, -1])
  func missingBlock(position: Int) throws {
    let database = try FeedDatabase.open(at: copy.directory.path)
    let ordinal = try copy.change("blocks") { keys, table, transaction throws(LMDBError) in
      let key = keys[position < 0 ? keys.count + position : position]
      _ = try transaction.delete(table, key.span.bytes)
      return key.span.bytes.bigEndian(at: 8, as: UInt64.self)
    }
    #expect(try code { _ = try TestFeed.all(database) } == .damaged)
    #expect(try values("key \(try #require(ordinal))", database) == nil)
  }

  @Test("a valid block at the position of another one is detected")
  func movedBlock() throws {
    let database = try FeedDatabase.open(at: copy.directory.path)
    try copy.change("blocks") { keys, table, transaction throws(LMDBError) in
      let (target, source) = (keys[1], keys[2])
      var block: [UInt8] = []
      if let bytes = try transaction.get(table, source.span.bytes) {
        block = Array(copying: bytes)
      }
      try transaction.put(table, target.span.bytes, block.span.bytes)
    }
    #expect(try code { _ = try TestFeed.all(database) } == .damaged)
  }

  @Test("a damaged block with the number of a verified one is detected")
  func repeatedNumber() throws {
    let database = try FeedDatabase.open(at: copy.directory.path)
    #expect(try TestFeed.all(database).count == 20_000)
    try copy.change("blocks") { keys, table, transaction throws(LMDBError) in
      for key in keys {
        var block: [UInt8] = []
        if let bytes = try transaction.get(table, key.span.bytes) {
          block = Array(copying: bytes)
        }
        guard let range = block.firstRange(of: Array("marked record".utf8)) else { continue }
        block[range.lowerBound] ^= 1
        // The number of the first block, in the format of the header.
        block.replaceSubrange(24..<28, with: [0, 0, 0, 0])
        try transaction.put(table, key.span.bytes, block.span.bytes)
      }
    }
    #expect(try values("key 15000", database) == nil)
    #expect(try values("key 1", database) == ["value 1"])
  }

  @Test("a missing index block is detected by lookups", arguments: [0, 1, -1])
  func missingIndexBlock(position: Int) throws {
    let database = try FeedDatabase.open(at: copy.directory.path)
    try copy.change("index") { keys, table, transaction throws(LMDBError) in
      let key = keys[position < 0 ? keys.count + position : position]
      _ = try transaction.delete(table, key.span.bytes)
    }
    var damaged = 0
    for number in 0..<2_000 {
      switch try values("key \(number)", database) {
      case nil: damaged += 1
      case let found: try #require(found == ["value \(number)"])
      }
    }
    #expect(damaged > 0)
  }

  @Test("a feed that is missing from the list is not reported as absent")
  func missingFeed() throws {
    let database = try FeedDatabase.open(at: copy.directory.path)
    try copy.change("feeds") { keys, table, transaction throws(LMDBError) in
      let key = keys[0]
      _ = try transaction.delete(table, key.span.bytes)
    }
    #expect(try code { _ = try database.feeds() } == .damaged)
    #expect(try code { _ = try database.feedDescription(named: FeedName("feed")) } == .damaged)
    #expect(try code { _ = try database.feedDescription(named: FeedName("other")) } == .damaged)
    #expect(try code { _ = try TestFeed.begin(database, "other") } == .damaged)
    #expect(try code { _ = try database.sweep() } == .damaged)
  }

  @Test("a feed that points at another generation is detected")
  func misdirectedFeed() throws {
    let database = try FeedDatabase.open(at: copy.directory.path)
    try TestFeed.begin(database, "other").publish()
    try copy.change("feeds") { keys, table, transaction throws(LMDBError) in
      let (feed, other) = (keys[0], keys[1])
      var target: [UInt8] = []
      if let value = try transaction.get(table, other.span.bytes) {
        target = Array(copying: value)
      }
      try transaction.put(table, feed.span.bytes, target.span.bytes)
    }
    #expect(try code { _ = try database.feedDescription(named: FeedName("feed")) } == .damaged)
    #expect(try code { _ = try TestFeed.all(database) } == .damaged)
  }

  @Test("a counter that was set back does not overwrite a generation")
  func counterSetBack() throws {
    let database = try FeedDatabase.open(at: copy.directory.path)
    try copy.change("meta") { _, table, transaction throws(LMDBError) in
      let (key, zero) = (Array("counter".utf8), [UInt8](repeating: 0, count: 8))
      try transaction.put(table, key.span.bytes, zero.span.bytes)
    }
    #expect(try code { _ = try TestFeed.begin(database, "other") } == .damaged)
    #expect(try TestFeed.all(database).count == 20_000)
  }

  @Test("a store of the first format is read, and verified after its next feed")
  func firstFormat() throws {
    let database = try FeedDatabase.open(at: copy.directory.path)
    try copy.change("meta") { _, table, transaction throws(LMDBError) in
      let (key, catalog) = (Array("format".utf8), Array("catalog".utf8))
      var bytes: [UInt8] = []
      if let row = try transaction.get(table, key.span.bytes) {
        bytes = Array(Array(copying: row).dropLast(8))
      }
      bytes[4] = 1
      let checksum = KeyHash.hash(bytes.span.bytes)
      for shift in stride(from: 0, to: 64, by: 8) {
        bytes.append(UInt8(truncatingIfNeeded: checksum >> UInt64(shift)))
      }
      try transaction.put(table, key.span.bytes, bytes.span.bytes)
      try transaction.delete(table, catalog.span.bytes)
    }
    #expect(try database.feeds().count == 1)
    try TestFeed.begin(database, "other").publish()
    #expect(try database.feeds().count == 2)
    try copy.change("feeds") { keys, table, transaction throws(LMDBError) in
      let key = keys[0]
      _ = try transaction.delete(table, key.span.bytes)
    }
    #expect(try code { _ = try database.feeds() } == .damaged)
  }

  /// Changes a table without the store's code.
  @discardableResult
  /// Nil if the store reports damage.
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

  /// Flips a bit of every occurrence of a text in the data file.
  private func flip(_ text: String) throws {
    let path = copy.directory.path + "/feeds/data.mdb"
    let file = try #require(fopen(path, "r+"))
    defer { fclose(file) }
    #expect(fseek(file, 0, SEEK_END) == 0)
    var bytes = [UInt8](repeating: 0, count: ftell(file))
    rewind(file)
    #expect(fread(&bytes, 1, bytes.count, file) == bytes.count)
    let pattern = Array(text.utf8)
    var found = 0
    for start in 0..<(bytes.count - pattern.count)
    where bytes[start] == pattern[0] && bytes[start..<start + pattern.count].elementsEqual(pattern)
    {
      bytes[start] ^= 1
      found += 1
    }
    try #require(found > 0)
    rewind(file)
    #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
  }
}
