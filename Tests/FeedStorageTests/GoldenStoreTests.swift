import FeedRecord
import FeedSchema
import FeedStorage
import Foundation
import TestSupport
import Testing

@Suite("Golden stores")
struct GoldenStoreTests {
  private static let target = ProcessInfo.processInfo.environment["FEEDCORE_GOLDEN"]

  @Test("a golden store has the recorded feeds", arguments: GoldenStore.allCases)
  func feeds(golden: GoldenStore) throws {
    let copy = try golden.copy()
    let database = try FeedDatabase.open(at: copy.path)
    #expect(try database.feeds().map(GoldenStore.Feed.init) == golden.feeds())
  }

  @Test("a golden store has the recorded records", arguments: GoldenStore.allCases)
  func records(golden: GoldenStore) throws {
    let copy = try golden.copy()
    let database = try FeedDatabase.open(at: copy.path)
    #expect(try GoldenStore.records(of: database) == golden.records())
  }

  @Test("each record of a golden store is found by its key", arguments: GoldenStore.allCases)
  func keys(golden: GoldenStore) throws {
    let copy = try golden.copy()
    let database = try FeedDatabase.open(at: copy.path)
    for feed in try database.feeds() {
      let schema = try #require(feed.schema)
      let positions = try keys(of: feed, schema, in: database)
      for (key, expected) in positions {
        #expect(try found(key, in: feed.name, schema, database) == expected)
      }
      #expect(positions.isEmpty == (feed.recordCount == 0))
    }
    let universities = try FeedName("universities")
    #expect(try found("none", in: universities, .universities, database) == [])
  }

  @Test("a golden store can be changed", arguments: GoldenStore.allCases)
  func changes(golden: GoldenStore) throws {
    let copy = try golden.copy()
    let payload = copy.path + "/payload"
    let line = #"{"name":"New","web_pages":[],"country":"C","alpha_two_code":"XX"}"#
    try Data(line.utf8).write(to: URL(filePath: payload))
    let before = try golden.feeds()
    let old = try #require(before.first { $0.name == "universities" })
    let database = try FeedDatabase.open(at: copy.path)
    var options = IngestOptions()
    options.appends = true
    let appended = try database.ingest([payload], options: options).feed
    #expect(appended.recordCount == old.records + 1)
    #expect(appended.generation > before.map(\.generation).max() ?? 0)
    options.appends = false
    #expect(try database.ingest([payload], options: options).feed.recordCount == 1)
    #expect(try database.delete(FeedName("universities")))
    #expect(try database.feeds().map(\.name.text) == before.map(\.name).filter { $0 != old.name })
  }

  @Test(
    "duplicate records are not appended to a golden store", arguments: GoldenStore.allCases)
  func duplicates(golden: GoldenStore) throws {
    let copy = try golden.copy()
    let payload = copy.path + "/payload"
    let database = try FeedDatabase.open(at: copy.path)
    for feed in try database.feeds() where feed.kind == "universities" {
      let lines = try GoldenStore.lines(of: feed, in: database)
      let new = #"{"name":"New","web_pages":[],"country":"C","alpha_two_code":"XX"}"# + "\n"
      try Data((lines + new).utf8).write(to: URL(filePath: payload))
      var options = IngestOptions()
      options.feed = feed.name
      options.appends = true
      let report = try database.ingest([payload], options: options)
      #expect(report.records == 1 && report.feed.recordCount == feed.recordCount + 1)
      #expect(try GoldenStore.lines(of: report.feed, in: database).hasPrefix(lines))
    }
  }

  @Test("the unfinished generation of a killed process is removed from a golden store")
  func killed() throws {
    let copy = try GoldenStore.killed.copy()
    let database = try FeedDatabase.open(at: copy.path)
    let report = try database.sweep()
    #expect(report.removed == 1 && report.left == 0)
    #expect(try database.feeds().map(GoldenStore.Feed.init) == GoldenStore.killed.feeds())
  }

  @Test("the current code creates a store with the content of the last golden one")
  func remade() throws {
    let golden = GoldenStore.whole
    let directory = try TemporaryDirectory()
    var maker = try GoldenStoreMaker(directory.path + "/store", payloads: directory.path + "/")
    try maker.make()
    try maker.write(to: directory.path + "/made")
    var made = try GoldenStore.feeds(in: directory.path + "/made")
    for index in made.indices { made[index].origin.removeFirst(directory.path.count + 1) }
    #expect(try made == golden.feeds())
    #expect(try GoldenStore.records(in: directory.path + "/made") == golden.records())
  }

  @Test(
    "scripts/make-golden creates a golden store",
    .enabled(if: target != nil, "FEEDCORE_GOLDEN names no directory"))
  func make() throws {
    let target = try #require(Self.target)
    let directory = try TemporaryDirectory()
    // The stores must not contain paths of the machine that created them. No other test runs.
    try #require(FileManager.default.changeCurrentDirectoryPath(directory.path))
    var maker = try GoldenStoreMaker(directory.path + "/store", payloads: "")
    try maker.make()
    try maker.write(to: target)
    let images = try GoldenImages.make(at: directory.path + "/store")
    try GoldenImages.write(images, to: URL(filePath: target))
  }

  /// The keys of a feed with the positions of their records.
  private func keys(
    of feed: FeedDescription, _ schema: PayloadSchema, in database: FeedDatabase
  ) throws -> [String: [Int]] {
    var keys: [String: [Int]] = [:]
    try database.forEachRecord(in: feed.name) { record, position throws(StoreError) in
      do throws(RecordError) {
        keys[try schema.text(of: schema.keyField, in: record) ?? "", default: []].append(position)
      } catch {
        throw StoreError(error)
      }
      return true
    }
    return keys
  }

  private func found(
    _ key: String, in feed: FeedName, _ schema: PayloadSchema, _ database: FeedDatabase
  ) throws -> [Int] {
    let bytes = try #require(schema.keyBytes(key))
    var found: [Int] = []
    try database.forEachRecord(in: feed, withKeyBytes: bytes.span.bytes) {
      _, position throws(StoreError) in
      found.append(position)
      return true
    }
    return found
  }
}
