import FeedRecord
import FeedSchema
import FeedStorage
import Foundation
import TestSupport
import Testing

/// The golden stores: made once in each version of the format, never changed, and read by every
/// later one. `scripts/make-golden` made them.
enum GoldenStore: String, CaseIterable {
  /// Feeds of every kind, one of them defined by the tests, one with two segments, one with a record
  /// in a block of its own. Every table has enough rows for branch pages.
  case whole = "store-v2-rows-v4"
  /// The same with older rows, which have no schemas, and thus without the feed of the tests.
  case olderRows = "store-v2-rows-v3"
  /// The same with blocks of version 1 and older rows.
  case old = "store-v2"
  /// A feed and its next generation, as a killed process left it. The version is 1, which has no
  /// digest of the feeds.
  case killed = "killed-v1"

  /// The recorded properties of a feed, without its records.
  struct Feed: Codable, Hashable {
    var name: String
    var kind: String
    var generation: UInt64
    var records: Int
    var referenceSeconds: Double
    var origin: String
    var envelope: String
    var envelopeInsertion: Int

    init(_ feed: FeedDescription) {
      name = feed.name.text
      kind = feed.kind
      generation = feed.generation
      records = feed.recordCount
      referenceSeconds = feed.referenceSeconds
      origin = feed.origin
      envelope = String(decoding: feed.envelope, as: UTF8.self)
      envelopeInsertion = feed.envelopeInsertion
    }
  }

  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private var directory: String {
    Self.root.appending(path: "Tests/FeedStorageTests/Golden/\(rawValue)").path
  }

  /// The recorded properties of its feeds.
  func feeds() throws -> [Feed] { try Self.feeds(in: directory) }

  static func feeds(in directory: String) throws -> [Feed] {
    let text = try String(contentsOfFile: directory + "/feeds.ndjson", encoding: .utf8)
    return try text.split(separator: "\n").map { line in
      try JSONDecoder().decode(Feed.self, from: Data(line.utf8))
    }
  }

  /// The recorded contents of its feeds, one line of JSON per record, in the order of the feeds.
  func records() throws -> String { try Self.records(in: directory) }

  static func records(in directory: String) throws -> String {
    try String(contentsOfFile: directory + "/records.ndjson", encoding: .utf8)
  }

  /// A copy to open, because opening a store writes files next to it.
  func copy() throws -> TemporaryDirectory {
    let copy = try TemporaryDirectory()
    let feeds = copy.path + "/feeds"
    try FileManager.default.createDirectory(atPath: feeds, withIntermediateDirectories: false)
    try FileManager.default.copyItem(
      atPath: directory + "/feeds/data.mdb", toPath: feeds + "/data.mdb")
    return copy
  }

  /// The records of all feeds of a store, as lines of JSON.
  static func records(of database: FeedDatabase) throws -> String {
    try database.feeds().map { feed in try lines(of: feed, in: database) }.joined()
  }

  /// The records of a feed, as lines of JSON.
  static func lines(
    of feed: FeedDescription, in database: FeedDatabase
  ) throws -> String {
    let writer = RecordWriter(try #require(feed.schema))
    var output: [UInt8] = []
    try database.forEachRecord(in: feed.name) { record, _ throws(StoreError) in
      do throws(RecordError) {
        try writer.append(record, to: &output)
      } catch {
        throw StoreError(error)
      }
      output.append(0x0A)
      return true
    }
    return String(decoding: output, as: UTF8.self)
  }
}
