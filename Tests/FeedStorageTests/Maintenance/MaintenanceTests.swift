@_spi(Ingest) import FeedRecord
import FeedStorage
import LMDB
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite struct MaintenanceTests {
  let feed: TestFeed
  let other: TemporaryDirectory
  var store: String { feed.directory.path }
  var backup: String { other.path + "/backup" }

  init() throws {
    feed = try TestFeed { $0.indexPairs = 3_000 }
    other = try TemporaryDirectory()
  }

  func fill() throws {
    try feed.ingest(TestFeed.Record.numbered(0..<20_000), envelope: #"{"items":[]}"#) {
      $0.indexedFields = [2]
    }
    try feed.ingest(TestFeed.Record.numbered(0..<10), into: "small")
  }

  // MARK: Check

  @Test("an intact store with appended, dead and unfinished generations has no findings")
  func soundStore() throws {
    try fill()
    // Large enough that an append lists its segment instead of copying it.
    let text = String(repeating: "long ", count: 1_000)
    try feed.ingest(TestFeed.Record.numbered(0..<2_000, value: text), into: "large")
    let appended = TestFeed.Record.numbered(2_000..<2_010)
    #expect(try feed.ingest(appended, into: "large", mode: .append).recordCount == 2_010)
    let unfinished = try TestFeed.begin(feed.database, "other")
    try unfinished.append(TestFeed.Record.numbered(0..<20_000))
    let report = try FeedDatabase.check(at: store)
    #expect(report.findings == [])
    #expect(report.feeds == 3)
    #expect(report.records >= 22_020)
    #expect(report.pages > 100)
    unfinished.abandon()
    #expect(try FeedDatabase.check(at: store).isSound)
  }

  @Test("a missing store is reported as not found")
  func noStore() throws {
    #expect(try code { _ = try FeedDatabase.check(at: other.path) } == .notFound)
  }

  enum Fault: CaseIterable {
    case missingBlock, missingIndexBlock, orphanBlock, missingRow, missingName, otherCount
    case flippedRecord, wrongEntry
  }

  @Test("each kind of inconsistency is detected", arguments: Fault.allCases)
  func contradictions(fault: Fault) throws {
    try fill()
    try plant(fault)
    let report = try FeedDatabase.check(at: store)
    #expect(report.findings != [])
    // The checksum is valid, so only the sum over the whole index reveals the fault.
    if fault == .wrongEntry { #expect(report.findings.count == 1) }
    #expect(try FeedDatabase.check(at: store) == report)
  }

  private func plant(_ fault: Fault) throws {
    let environment = try Environment.open(store + "/feeds", .init(tables: []))
    let (blocks, index) = (try environment.table("blocks"), try environment.table("index"))
    let (rows, names) = (try environment.table("generations"), try environment.table("feeds"))
    try environment.write { (transaction: inout WriteTransaction) throws(LMDBError) in
      switch fault {
      case .missingBlock: try Self.removeEntry(3, blocks, &transaction)
      case .missingIndexBlock: try Self.removeEntry(1, index, &transaction)
      case .missingRow: try Self.removeEntry(0, rows, &transaction)
      case .missingName: try Self.removeEntry(0, names, &transaction)
      case .orphanBlock:
        try Self.change(0, blocks, &transaction) { key, _ in key[7] = 0xEE }
      case .flippedRecord:
        try Self.change(2, blocks, &transaction) { _, value in value[value.count / 2] ^= 1 }
      case .wrongEntry: try Self.misleadEntry(environment, index, &transaction)
      case .otherCount:
        try Self.change(1, index, &transaction) { key, _ in key[20] ^= 1 }
      }
    }
  }

  /// Makes the first entry of an index name the record of another key, with a valid checksum.
  private static func misleadEntry(
    _ environment: Environment, _ index: Table, _ transaction: inout WriteTransaction
  ) throws(LMDBError) {
    let format = try entry(2, try environment.table("meta"), transaction)
    #expect(format.key == Array("format".utf8))
    let (key, value) = try entry(0, index, transaction)
    guard let segment = key.span.bytes.bigEndian(at: 0, as: UInt64.self),
      let identifier = format.value.span.bytes.bigEndian(at: 8, as: UInt64.self)?.byteSwapped,
      let view = try? IndexBlockView(value.span.bytes)
    else { throw LMDBError(.damaged, "not the store that was made", path: nil) }
    var builder = IndexBlockBuilder()
    for position in 0..<view.count {
      guard let hash = try? view.hash(at: position), let ordinal = try? view.ordinal(at: position)
      else { continue }
      builder.append(KeyPair(hash: hash, ordinal: position == 0 ? ordinal ^ 1 : ordinal))
    }
    let changed = builder.seal(
      number: view.number, lower: view.lower, upper: view.upper,
      seed: BlockSeed.seed(environment: identifier, segment: segment, number: view.number)
    ).bytes
    try transaction.put(index, key.span.bytes, changed.span.bytes)
  }

  private static func removeEntry(
    _ position: Int, _ table: Table, _ transaction: inout WriteTransaction
  ) throws(LMDBError) {
    let key = try entry(position, table, transaction).key
    try transaction.delete(table, key.span.bytes)
  }

  /// Stores a changed copy of an entry.
  private static func change(
    _ position: Int, _ table: Table, _ transaction: inout WriteTransaction,
    _ body: (inout [UInt8], inout [UInt8]) -> Void
  ) throws(LMDBError) {
    var (key, value) = try entry(position, table, transaction)
    body(&key, &value)
    try transaction.put(table, key.span.bytes, value.span.bytes)
  }

  private static func entry(
    _ position: Int, _ table: Table, _ transaction: borrowing WriteTransaction
  ) throws(LMDBError) -> (key: [UInt8], value: [UInt8]) {
    try transaction.reading { view throws(LMDBError) in
      var cursor = try view.cursor(table)
      for _ in 0...position { _ = try cursor.next() }
      return (Array(copying: cursor.key), Array(copying: cursor.value))
    }
  }

  // MARK: Compaction

  @Test("a compacted store is read and written through handles that were open before")
  func compaction() throws {
    try fill()
    let records = try feed.all()
    try feed.database.delete(FeedName("small"))
    for report in try feed.database.compact() {
      #expect(report.environment == "feeds")
      #expect(report.bytesAfter < report.bytesBefore)
    }
    #expect(try feed.all() == records)
    #expect(try feed.values("key 17") == ["value 17"])
    try feed.ingest(TestFeed.Record.numbered(0..<10), into: "new")
    #expect(try FeedDatabase.check(at: store).isSound)
  }

  @Test("an ingest in progress continues after a compaction")
  func compactionDuringIngest() throws {
    let writer = try TestFeed.begin(feed.database)
    let text = String(repeating: "long ", count: 200)
    try writer.append(TestFeed.Record.numbered(0..<10_000, value: text))
    _ = try feed.database.compact()
    try writer.append(TestFeed.Record.numbered(10_000..<20_000, value: text))
    try writer.publish()
    #expect(try feed.all().count == 20_000)
    #expect(try FeedDatabase.check(at: store).findings == [])
  }

  @Test("a scan in progress continues after a compaction")
  func compactionDuringScan() throws {
    try feed.ingest(TestFeed.Record.numbered(0..<20_000))
    var count = 0
    try feed.database.forEachRecord(in: FeedName("feed")) { _, position throws(StoreError) in
      if position == 100 { _ = try feed.database.compact() }
      count += 1
      return true
    }
    #expect(count == 20_000)
  }

  // MARK: Quarantine and statistics

  @Test("a quarantined store is kept and not read, and the next ingest creates a new one")
  func quarantine() throws {
    try fill()
    let path = try FeedDatabase.quarantine(at: store)
    #expect(path.hasPrefix(store + "/feeds.corrupt-"))
    #expect(access(path + "/data.mdb", F_OK) == 0)
    #expect(FeedDatabase.environments(at: store) == [])
    #expect(try code { _ = try feed.all() } != nil)
    let fresh = try FeedDatabase.open(at: store)
    #expect(try fresh.feeds().isEmpty)
    let writer = try TestFeed.begin(fresh)
    try writer.append(TestFeed.Record.numbered(0..<3))
    try writer.publish()
    #expect(try TestFeed.all(fresh).count == 3)
  }

  @Test("an ingest or a restore creates a linked environment again at its target")
  func quarantineOfLink() throws {
    try fill()
    _ = try feed.database.backUp(to: backup)
    let (linked, elsewhere) = (other.path + "/linked", other.path + "/elsewhere")
    #expect(mkdir(linked, 0o700) == 0 && mkdir(elsewhere, 0o700) == 0)
    #expect(symlink("../elsewhere/feeds", linked + "/feeds") == 0)
    for restores in [false, true] {
      if restores { _ = try FeedDatabase.restore(linked, from: backup) }
      #expect(try FeedDatabase.open(at: linked).feeds().count == (restores ? 2 : 0))
      #expect(access(elsewhere + "/feeds/data.mdb", F_OK) == 0)
      #expect(try FeedDatabase.quarantine(at: linked).hasPrefix(elsewhere + "/feeds.corrupt-"))
    }
  }

  @Test("only the file that was found damaged is quarantined, not its replacement")
  func quarantineOfAnother() throws {
    try fill()
    let file = try #require(try FeedDatabase.dataFile(of: "feeds", at: store))
    _ = try FeedDatabase.quarantine("feeds", at: store, file: file, opening: true)
    #expect(
      try code { _ = try FeedDatabase.quarantine("feeds", at: store, file: file, opening: true) }
        == .notFound)
    #expect(FeedDatabase.environments(at: store) == [])
    _ = try FeedDatabase.open(at: store)
    for opening in [true, false] {
      #expect(
        try code {
          _ = try FeedDatabase.quarantine("feeds", at: store, file: file, opening: opening)
        } == .busy)
    }
    #expect(FeedDatabase.environments(at: store) == ["feeds"])
  }

  @Test("statistics report bytes, readers and generations")
  func statistics() throws {
    try fill()
    let unfinished = try TestFeed.begin(feed.database, "other")
    // These records exceed the data that waits for the writer thread.
    let text = String(repeating: "long ", count: 10_000)
    try unfinished.append(TestFeed.Record.numbered(0..<1_000, value: text))
    let statistics = try feed.database.storeStatistics()
    #expect(statistics.publishedGenerations == 2)
    #expect(statistics.buildingGenerations == 1)
    #expect(statistics.deadGenerations == 0)
    let environment = try #require(statistics.environments.first)
    #expect(environment.name == "feeds")
    #expect(environment.liveBytes + environment.freeBytes <= environment.fileBytes + 1 << 20)
    #expect(environment.liveBytes > 500_000)
    #expect(environment.oldestReader?.process == Int(getpid()))
    unfinished.abandon()
  }

  @Test("a shared store and its locks can be read by the group, also after a compaction")
  func sharing() throws {
    let path = other.path + "/shared"
    let database = try FeedDatabase.open(at: path, options: .init(sharing: .group))
    let writer = try TestFeed.begin(database)
    try writer.append(TestFeed.Record.numbered(0..<3))
    try writer.publish()
    _ = try database.compact()
    for (name, mode) in [
      ("", 0o2770), ("/feeds", 0o2770), ("/locks", 0o2770), ("/feeds/data.mdb", 0o640),
      ("/feeds/lock.mdb", 0o660), ("/locks/feed.feed", 0o660), ("/locks/generations", 0o660),
    ] {
      var status = stat()
      #expect(stat(path + name, &status) == 0)
      #expect(Int(status.st_mode) & 0o7777 == mode, "\(name)")
    }
  }

  @Test("an ephemeral store is new each time and leaves nothing")
  func ephemeral() throws {
    var database: FeedDatabase? = try FeedDatabase.open(at: "/dev/null")
    let path = try #require(database?.directory)
    #expect(try database?.feeds().isEmpty == true)
    #expect(access(path, F_OK) == 0)
    database = nil
    #expect(access(path, F_OK) != 0)
  }
}
