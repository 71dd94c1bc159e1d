import FeedStorage
import Foundation
import TestSupport
import Testing

extension MaintenanceTests {
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

  @Test("a backup into the store's own directory is refused under any path")
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

  @Test("a restored store reads like the backup through handles that were open before")
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
    // A generation number that was assigned after the backup is not reused.
    #expect(try feed.ingest(TestFeed.Record.numbered(0..<7)).generation > last)
    #expect(try feed.all().count == 7)
    #expect(try FeedDatabase.check(at: store).findings == [])
  }

  @Test("a backup creates a store where none exists")
  func restoreToNothing() throws {
    try fill()
    _ = try feed.database.backUp(to: backup)
    let target = other.path + "/fresh/store"
    _ = try FeedDatabase.restore(target, from: backup)
    #expect(try TestFeed.all(FeedDatabase.open(at: target)) == feed.all())
  }

  @Test("an ingest in progress fails after a backup of its beginning was restored")
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

  @Test("an ingest that has written nothing yet fails after a restore")
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

  @Test("a scan in progress fails if a restored store lacks its generation, else it continues")
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

  @Test("no environment is restored if one of them cannot be", arguments: [true, false])
  func restoreOfAll(isImagesMissing: Bool) throws {
    try fill()
    let image: [UInt8] = [1, 2, 3]
    try ImageStore.open(at: store).insert(image.span.bytes, for: "image")
    #expect(try feed.database.backUp(to: backup) == ["feeds", "images"])
    try feed.ingest(TestFeed.Record.numbered(0..<5))
    let images = store + "/images"
    if isImagesMissing {
      // Another file is at the path where it would be created.
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
}
