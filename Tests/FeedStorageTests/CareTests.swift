@_spi(Ingest) import FeedRecord
import FeedStorage
import Foundation
import LMDB
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite struct CareTests {
  let feed: TestFeed
  let other: TemporaryDirectory
  var store: String { feed.directory.path }
  var backup: String { other.path + "/backup" }

  init() throws {
    feed = try TestFeed { $0.indexPairs = 3_000 }
    other = try TemporaryDirectory()
  }

  private func fill() throws {
    try feed.ingest(TestFeed.Record.numbered(0..<20_000), envelope: #"{"items":[]}"#) {
      $0.indexedFields = [2]
    }
    try feed.ingest(TestFeed.Record.numbered(0..<10), into: "small")
  }

  // MARK: Check

  @Test("a sound store has no findings, also one with appended, dead and unfinished generations")
  func soundStore() throws {
    try fill()
    // So large that an append lists its segment instead of copying it.
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

  @Test("a store that is not there is told as such")
  func noStore() throws {
    #expect(try code { _ = try FeedDatabase.check(at: other.path) } == .notFound)
  }

  enum Fault: CaseIterable {
    case missingBlock, missingIndexBlock, orphanBlock, missingRow, missingName, otherCount
    case flippedRecord, wrongEntry
  }

  @Test("each kind of contradiction is found", arguments: Fault.allCases)
  func contradictions(fault: Fault) throws {
    try fill()
    try plant(fault)
    let report = try FeedDatabase.check(at: store)
    #expect(report.findings != [])
    // Not by its checksum, so by what the index as a whole adds up to.
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

  /// Has the first entry of an index name the record of another key, with a right checksum.
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
      seed: BlockSeed.seed(environment: identifier, segment: segment, number: view.number))
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

  @Test("a compacted store reads the same, through handles that were open before, and ingests on")
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

  @Test("an ingest under way goes on where the store was compacted meanwhile")
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

  @Test("a scan under way ends where the store was compacted meanwhile")
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

  // MARK: Backup

  @Test("a backup is a store with the same feeds, and is not written over another one")
  func backUp() throws {
    try fill()
    #expect(try feed.database.backUp(to: backup) == ["feeds"])
    try feed.ingest(TestFeed.Record.numbered(0..<5))
    let copy = try FeedDatabase.open(at: backup)
    #expect(try TestFeed.all(copy).count == 20_000)
    #expect(try copy.feeds().map(\.name.text) == ["feed", "small"])
    #expect(try code { _ = try feed.database.backUp(to: backup) } == .misuse)
  }

  @Test("no backup is made in the directory of what it is of, by whatever path")
  func backUpWithin() throws {
    try fill()
    let link = other.path + "/link"
    #expect(symlink(store, link) == 0)
    for target in [store + "/feeds", store + "/feeds/one/two", link + "/feeds/../feeds/one"] {
      #expect(try code { _ = try feed.database.backUp(to: target) } == .misuse)
    }
    #expect(!FileManager.default.fileExists(atPath: store + "/feeds/one"))
    #expect(try feed.database.backUp(to: store + "/feeds of yesterday") == ["feeds"])
  }

  @Test("a restored store reads as the backup did, through handles that were open before")
  func restore() throws {
    try fill()
    let (before, generation) = (try feed.all(), try feed.database.feeds().map(\.generation))
    _ = try feed.database.backUp(to: backup)
    try feed.ingest(TestFeed.Record.numbered(0..<5))
    try feed.ingest(TestFeed.Record.numbered(0..<5), into: "late")
    let last = try #require(try feed.database.feeds().map(\.generation).max())
    #expect(try FeedDatabase.restore(store, from: backup) == ["feeds"])
    #expect(try feed.all() == before)
    #expect(try feed.database.feeds().map(\.generation) == generation)
    // A number that was given since the backup stands for what it stood for.
    #expect(try feed.ingest(TestFeed.Record.numbered(0..<7)).generation > last)
    #expect(try feed.all().count == 7)
    #expect(try FeedDatabase.check(at: store).findings == [])
  }

  @Test("a backup makes a store where there is none")
  func restoreToNothing() throws {
    try fill()
    _ = try feed.database.backUp(to: backup)
    let target = other.path + "/fresh/store"
    _ = try FeedDatabase.restore(target, from: backup)
    #expect(try TestFeed.all(FeedDatabase.open(at: target)) == feed.all())
  }

  @Test("an ingest under way fails where a backup of its beginning was restored meanwhile")
  func restoreDuringIngest() throws {
    try fill()
    let writer = try TestFeed.begin(feed.database)
    let text = String(repeating: "long ", count: 200)
    try writer.append(TestFeed.Record.numbered(0..<10_000, value: text))
    _ = try feed.database.backUp(to: backup)
    try writer.append(TestFeed.Record.numbered(10_000..<12_000, value: text))
    _ = try FeedDatabase.restore(store, from: backup)
    let failure = try code {
      try writer.append(TestFeed.Record.numbered(12_000..<30_000, value: text))
      try writer.publish()
    }
    #expect(failure == .replaced)
    writer.abandon()
    #expect(try feed.all().count == 20_000)
    try feed.ingest(TestFeed.Record.numbered(0..<5))
    #expect(try FeedDatabase.check(at: store).findings == [])
  }

  @Test("an ingest that has written nothing yet fails where a backup was restored meanwhile")
  func restoreBeforeFirstBatch() throws {
    try fill()
    _ = try feed.database.backUp(to: backup)
    let writers = try ["feed", "new"].map { try TestFeed.begin(feed.database, $0, mode: .append) }
    _ = try FeedDatabase.restore(store, from: backup)
    for writer in writers {
      try writer.append(TestFeed.Record.numbered(0..<3))
      #expect(try code { try writer.publish() } == .replaced)
      writer.abandon()
    }
    #expect(try feed.all().count == 20_000)
    try feed.ingest(TestFeed.Record.numbered(20_000..<20_005), mode: .append)
    #expect(try feed.all().count == 20_005)
    #expect(try FeedDatabase.check(at: store).findings == [])
  }

  @Test("a scan under way is told where a restored store lacks its generation, else reads on")
  func restoreDuringScan() throws {
    try fill()
    _ = try feed.database.backUp(to: backup)
    for isInBackup in [true, false] {
      if !isInBackup { try feed.ingest(TestFeed.Record.numbered(0..<30_000)) }
      var count = 0
      let failure = try code {
        try feed.database.forEachRecord(in: FeedName("feed")) { _, position throws(StoreError) in
          if position == 100 { _ = try FeedDatabase.restore(store, from: backup) }
          count += 1
          return true
        }
      }
      #expect(failure == (isInBackup ? nil : .replaced))
      #expect(isInBackup ? count == 20_000 : count < 30_000)
      #expect(try feed.all().count == 20_000)
    }
  }

  @Test("a damaged backup is not restored")
  func damagedBackup() throws {
    try fill()
    _ = try feed.database.backUp(to: backup)
    #expect(truncate(backup + "/feeds/data.mdb", 50_000) == 0)
    #expect(try code { _ = try FeedDatabase.restore(store, from: backup) } == .damaged)
    #expect(try feed.all().count == 20_000)
  }

  @Test("where one environment cannot be restored, none is", arguments: [true, false])
  func restoreOfAll(isImagesMissing: Bool) throws {
    try fill()
    let image: [UInt8] = [1, 2, 3]
    try ImageStore.open(at: store).insert(image.span.bytes, for: "image")
    #expect(try feed.database.backUp(to: backup) == ["feeds", "images"])
    try feed.ingest(TestFeed.Record.numbered(0..<5))
    let images = store + "/images"
    if isImagesMissing {
      // Where it is to be made anew, something else stands.
      #expect(rename(images, other.path + "/aside") == 0)
      #expect(mkdir(images, 0o700) == 0 && mkdir(images + "/other", 0o700) == 0)
    } else {
      #expect(truncate(images + "/data.mdb", 10) == 0)
    }
    #expect(try code { _ = try FeedDatabase.restore(store, from: backup) } != nil)
    #expect(try feed.all().count == 5)
    try feed.ingest(TestFeed.Record.numbered(0..<7))
    #expect(rename(images, other.path + "/damaged") == 0)
    #expect(try FeedDatabase.restore(store, from: backup) == ["feeds", "images"])
    #expect(try feed.all().count == 20_000)
    #expect(try ImageStore.open(at: store).retrieve("image")?.bytes == image)
  }

  @Test("the backup of another store is not read through handles of this one")
  func foreignBackup() throws {
    try fill()
    let stranger = try TestFeed()
    try stranger.ingest(TestFeed.Record.numbered(0..<3))
    _ = try stranger.database.backUp(to: backup)
    _ = try FeedDatabase.restore(store, from: backup)
    #expect(try code { try feed.database.delete(FeedName("feed")) } == .misuse)
    #expect(try TestFeed.all(FeedDatabase.open(at: store)).count == 3)
  }

  // MARK: Quarantine and statistics

  @Test("a store in quarantine is kept, not served, and made anew by the next ingest")
  func quarantine() throws {
    try fill()
    let place = try FeedDatabase.quarantine(at: store)
    #expect(place.hasPrefix(store + "/feeds.corrupt-"))
    #expect(access(place + "/data.mdb", F_OK) == 0)
    #expect(FeedDatabase.environments(at: store) == [])
    #expect(try code { _ = try feed.all() } != nil)
    let fresh = try FeedDatabase.open(at: store)
    #expect(try fresh.feeds().isEmpty)
    let writer = try TestFeed.begin(fresh)
    try writer.append(TestFeed.Record.numbered(0..<3))
    try writer.publish()
    #expect(try TestFeed.all(fresh).count == 3)
  }

  @Test("an environment that lies elsewhere is made anew where it lay, by an ingest or a restore")
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

  @Test("only the file that was found to be damaged is moved aside, and nothing in its place")
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

  @Test("statistics tell bytes, readers and generations")
  func statistics() throws {
    try fill()
    let unfinished = try TestFeed.begin(feed.database, "other")
    // More than waits for the writer thread.
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

  @Test("a shared store can be read by its group, locks included, also once compacted")
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

  @Test("a private store is a new one each time, and leaves nothing")
  func ephemeral() throws {
    var database: FeedDatabase? = try FeedDatabase.open(at: "/dev/null")
    let place = try #require(database?.directory)
    #expect(try database?.feeds().isEmpty == true)
    #expect(access(place, F_OK) == 0)
    database = nil
    #expect(access(place, F_OK) != 0)
  }
}
