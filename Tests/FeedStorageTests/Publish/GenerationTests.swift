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

@Suite struct GenerationTests {
  let feed: TestFeed

  init() throws {
    feed = try TestFeed()
    try feed.ingest(TestFeed.Record.numbered(0..<1_000, value: "old"))
  }

  private let old = TestFeed.Record.numbered(0..<1_000, value: "old")
  private let new = TestFeed.Record.numbered(0..<2_000, value: "new")

  @Test("the old feed is read while the new one is built")
  func building() throws {
    let writer = try TestFeed.begin(feed.database)
    try writer.append(new)
    #expect(try feed.all() == old)
    #expect(try feed.values("key 7") == ["old 7"])
    try writer.publish()
    #expect(try feed.all() == new)
    #expect(try feed.values("key 7") == ["new 7"])
  }

  @Test("the blocks of a replaced generation are removed, and its number is not reused")
  func replace() throws {
    let blocks = try feed.storedBlocks()
    let before = try feed.database.feedDescription(named: FeedName("feed"))
    let after = try feed.ingest(old)
    #expect(try feed.storedBlocks() == blocks)
    #expect(after.generation > (before?.generation ?? .max))
  }

  @Test("an abandoned generation leaves nothing", arguments: [10, 600_000])
  func abandon(count: Int) throws {
    let blocks = try feed.storedBlocks()
    let index = try TestFeed.count("index", feed.directory.path)
    let writer = try TestFeed.begin(feed.database)
    try writer.append(TestFeed.Record.numbered(0..<count))
    writer.abandon()
    #expect(try feed.storedBlocks() == blocks)
    #expect(try TestFeed.count("index", feed.directory.path) == index)
    #expect(try TestFeed.count("generations", feed.directory.path) == 1)
    #expect(try feed.all() == old)
  }

  @Test("a released writer abandons its generation")
  func letGo() throws {
    var writer: GenerationWriter? = try TestFeed.begin(feed.database)
    try writer?.append(new)
    writer = nil
    #expect(try TestFeed.count("generations", feed.directory.path) == 1)
    try feed.ingest(new)
    #expect(try feed.all() == new)
  }

  @Test("a cancelled ingest throws and can be abandoned")
  func cancelled() throws {
    var isCancelled = false
    let writer = try TestFeed.begin(feed.database, isCancelled: { isCancelled })
    try writer.append(new)
    isCancelled = true
    #expect(try code { try writer.publish() } == .cancelled)
    writer.abandon()
    #expect(try feed.all() == old)
    #expect(try TestFeed.count("generations", feed.directory.path) == 1)
  }

  @Test("a second ingest of a feed fails as busy, one of another feed does not")
  func busy() throws {
    let writer = try TestFeed.begin(feed.database)
    #expect(try code { _ = try TestFeed.begin(feed.database) } == .busy)
    #expect(try code { try feed.database.delete(FeedName("feed")) } == .busy)
    try TestFeed.begin(feed.database, "other").publish()
    writer.abandon()
    try TestFeed.begin(feed.database).publish()
  }

  @Test("concurrent ingests have different numbers, whichever is committed first")
  func numbers() throws {
    let before = try #require(try feed.database.feedDescription(named: FeedName("feed"))).generation
    let names = ["a", "b", "c", "d"]
    let writers = try names.map { try TestFeed.begin(feed.database, $0) }
    let numbers = writers.map(\.generation)
    #expect(numbers == (1...4).map { before + $0 })
    writers[1].abandon()
    // The number of an abandoned generation is free again if nothing was written for it.
    let late = try TestFeed.begin(feed.database, "late")
    #expect(late.generation == numbers[1])
    for index in [3, 0, 2] {
      try writers[index].append(TestFeed.Record.numbered(0..<index + 1))
      try writers[index].publish()
    }
    try late.publish()
    for index in [0, 2, 3] { #expect(try feed.all(names[index]).count == index + 1) }
    #expect(try feed.ingest(new).generation == numbers[3] + 1)
    #expect(try FeedDatabase.check(at: feed.directory.path).findings == [])
  }

  @Test("a feed is also busy through another path to its data")
  func busyThroughLink() throws {
    let other = try TemporaryDirectory()
    #expect(symlink(feed.directory.path + "/feeds", other.path + "/feeds") == 0)
    let database = try FeedDatabase.open(at: other.path)
    let writer = try TestFeed.begin(feed.database)
    #expect(try code { _ = try TestFeed.begin(database) } == .busy)
    #expect(try database.sweep().removed == 0)
    try writer.append(new)
    try writer.publish()
    #expect(try feed.all() == new)
  }

  @Test("waiting for a busy feed can be cancelled")
  func waiting() throws {
    let writer = try TestFeed.begin(feed.database)
    var polls = 0
    let failure = try code {
      _ = try TestFeed.begin(
        feed.database, wait: true,
        isCancelled: {
          polls += 1
          return polls == 3
        })
    }
    #expect(failure == .cancelled)
    #expect(polls == 3)
    withExtendedLifetime(writer) {}
  }

  @Test("a waiting ingest gets the feed when it is unlocked")
  func waitingSucceeds() throws {
    let first = try TestFeed.begin(feed.database)
    var polls = 0
    let second = try TestFeed.begin(
      feed.database, wait: true,
      isCancelled: {
        polls += 1
        first.abandon()
        return false
      })
    #expect(polls == 1)
    try second.append(new)
    try second.publish()
    #expect(try feed.all() == new)
  }

  @Test("a callback of an ingest cannot wait for that ingest or delete its feed")
  func waitingForItself() throws {
    let database = feed.database
    let document = Array(#"[{"name":"A","country":"B","alpha_two_code":"C","web_pages":[]}]"#.utf8)
    var options = IngestOptions()
    options.feed = try FeedName("universities")
    options.waits = true
    var codes: [StoreError.Code?] = []
    let outer = database.push(
      from: "outer", options: options,
      isCancelled: {
        let inner = database.push(from: "inner", options: options)
        do throws(IngestError) {
          try inner.feed(document)
          try inner.finish()
        } catch {
          codes.append(error.store?.code)
        }
        codes.append(try? code { try database.delete(FeedName("universities"), waits: true) })
        codes.append(try? code { try database.delete(FeedName("universities")) })
        return false
      })
    try outer.feed(document)
    #expect(try outer.finish().records == 1)
    #expect(Set(codes) == [.misuse, .busy])
    #expect(codes.count { $0 == .misuse } == codes.count / 3 * 2)
    // The ingest has ended, so the next one does not wait.
    let next = database.push(from: "next", options: options)
    try next.feed(document)
    #expect(try next.finish().records == 1)
  }

  @Test("nothing is added to a generation that was published or abandoned")
  func appendAfterEnd() throws {
    let published = try TestFeed.begin(feed.database)
    try published.append([TestFeed.Record(key: "a", value: "1")])
    try published.publish()
    let abandoned = try TestFeed.begin(feed.database)
    abandoned.abandon()
    for writer in [published, abandoned] {
      #expect(try code { try writer.append([TestFeed.Record(key: "b", value: "2")]) } == .misuse)
      #expect(try code { try writer.append(RecordEncoder(layout: TestFeed.layout)) } == .misuse)
      #expect(try code { try writer.publish() } == .misuse)
    }
    #expect(try feed.all() == [TestFeed.Record(key: "a", value: "1")])
  }

  @Test("a scan reads one generation to its end and keeps it until then")
  func scanDuringReplace() throws {
    let database = feed.database
    let large = TestFeed.Record.numbered(0..<30_000, value: "large")
    try feed.ingest(large)
    var seen: [TestFeed.Record] = []
    let description = try database.forEachRecord(in: FeedName("feed")) {
      view, position throws(StoreError) in
      if position == 0 {
        do { try feed.ingest(new) } catch { throw StoreError(wrapping: error) }
        #expect(try database.sweep().left == 1)
      }
      seen.append(try TestFeed.Record(view))
      return true
    }
    #expect(seen == large)
    #expect(description.recordCount == 30_000)
    #expect(try feed.all() == new)
    #expect(try database.sweep().removed == 1)
    #expect(try database.sweep().removed == 0)
  }

  @Test("the generation of a killed writer is swept, that of a running one is not")
  func sweep() throws {
    let writer = try TestFeed.begin(feed.database)
    // Enough records that some are committed, while two batches are in memory.
    try writer.append(TestFeed.Record.numbered(0..<1_000_000))
    #expect(try feed.database.sweep().left == 1)
    // No process holds locks on a copy, as after a killed writer.
    let copy = try StoreCopy(of: feed)
    writer.abandon()
    let database = try FeedDatabase.open(at: copy.directory.path)
    #expect(try TestFeed.count("generations", copy.directory.path) == 2)
    let report = try database.sweep()
    #expect(report.removed == 1)
    #expect(report.freedBytes > 1 << 20)
    #expect(try TestFeed.count("generations", copy.directory.path) == 1)
    #expect(try TestFeed.all(database) == old)
  }

  @Test("replacing a feed again and again does not let the file grow")
  func reuse() throws {
    let feed = try TestFeed()
    let records = TestFeed.Record.numbered(0..<60_000, value: String(repeating: "x", count: 80))
    try feed.ingest(records)
    let fresh = try feed.database.statistics().fileBytes
    for round in 0..<12 {
      if round.isMultiple(of: 3) {
        let writer = try TestFeed.begin(feed.database)
        try writer.append(records.prefix(40_000))
        writer.abandon()
      }
      try feed.ingest(records)
    }
    #expect(try feed.database.statistics().fileBytes < fresh * 26 / 10)
    #expect(try feed.all() == records)
  }

  @Test("an ingest without enough space changes nothing, and a smaller one still fits")
  func full() throws {
    let feed = try TestFeed { $0.mapSize = 8 << 20 }
    let database = feed.database
    try feed.ingest(old)
    for _ in 0..<3 {
      let failure = try code {
        let writer = try TestFeed.begin(database)
        try writer.append(TestFeed.Record.numbered(0..<300_000))
        try writer.publish()
      }
      #expect(failure == .diskFull)
      #expect(try feed.all() == old)
      #expect(try TestFeed.count("generations", feed.directory.path) == 1)
    }
    try feed.ingest(new)
    #expect(try feed.all() == new)
  }
}

@Suite("A conditional ingest") struct ConditionTests {
  private let feed: TestFeed
  private let old = TestFeed.Record.numbered(0..<10, value: "old")
  private let new = TestFeed.Record.numbered(0..<10, value: "new")

  init() throws {
    feed = try TestFeed()
  }

  @Test("replaces the feed if its generation matches")
  func met() throws {
    let first = try feed.ingest(old) { $0.condition = .absent }
    try feed.ingest(new) { $0.condition = .generation(first.generation) }
    #expect(try feed.all() == new)
  }

  @Test("changes nothing if another ingest was faster")
  func unmet() throws {
    let first = try feed.ingest(old)
    try feed.ingest(old)
    let generations = try TestFeed.count("generations", feed.directory.path)
    for condition in [PublishCondition.generation(first.generation), .absent] {
      #expect(try code { try feed.ingest(new) { $0.condition = condition } } == .conflict)
    }
    #expect(try feed.all() == old)
    #expect(try TestFeed.count("generations", feed.directory.path) == generations)
  }

  @Test("is refused if the feed was deleted")
  func deleted() throws {
    let first = try feed.ingest(old)
    try feed.database.delete(FeedName("feed"))
    #expect(
      try code { try feed.ingest(new) { $0.condition = .generation(first.generation) } }
        == .conflict)
    #expect(try feed.database.feeds().isEmpty)
  }
}
