import FeedCore
import FeedStorage
import Foundation
import LMDB
import TestSupport

/// A store with one feed, for misuse.
struct MisusedStore {
  static let batch = KnownRecords(tag: 1, count: 300)
  static let other = KnownRecords(tag: 2, count: 200)

  let directory: String
  let store: String
  let database: FeedDatabase
  let feed: FeedName
  private let feedcore: String

  init(_ directory: String, feedcore: String) throws {
    self.directory = directory
    self.feedcore = feedcore
    store = directory + "/store"
    feed = try FeedName("feed")
    database = try FeedDatabase.open(at: store)
    try ingest(Self.batch, as: feed)
  }

  /// The exit status of the command.
  func command(_ words: [String]) throws -> Int32 {
    try RunningCommand(
      feedcore, words, environment: ["HOME": directory, "PATH": "/usr/bin:/bin"], input: .nothing,
      output: .nothing, errors: .nothing
    ).wait()
  }

  func payload(_ batch: KnownRecords) throws -> String {
    let path = "\(directory)/\(batch.tag).ndjson"
    try batch.write(to: path)
    return path
  }

  /// - Parameter during: called once, in the middle of the ingest, while its feed is locked
  func ingest(
    _ batch: KnownRecords, as name: FeedName, into database: FeedDatabase? = nil,
    during: (() -> Void)? = nil
  ) throws {
    var options = IngestOptions()
    options.feed = name
    var during = during
    let lock = "\(store)/locks/feed.\(name)"
    _ = try (database ?? self.database).ingest(
      [payload(batch)], options: options,
      isCancelled: {
        guard let body = during, (try? FileLock.acquire(lock, .exclusive)) == nil else {
          return false
        }
        during = nil
        body()
        return false
      })
    try demand(during == nil, "the ingest never held its feed")
  }

  /// Requires that the feed has the expected records and that the next ingest works.
  func requireWhole(_ expected: KnownRecords = batch) throws {
    let found = try FeedReading.all(database, feed)
    try demand(found == [expected], "the feed holds \(found) afterwards")
    try ingest(Self.other, as: try FeedName("next"))
  }

  /// The error that a body throws, which must take less than a second.
  static func error(_ body: () throws -> Void) throws -> any Error {
    let began = ContinuousClock.now
    do {
      try body()
    } catch {
      let time = ContinuousClock.now - began
      try demand(time < .seconds(1), "told after \(time) only: \(error)")
      return error
    }
    throw TortureFailure("what is forbidden was done")
  }

  /// Requires that a body throws a store error with this code, in less than a second.
  static func require(_ code: StoreError.Code, _ body: () throws -> Void) throws {
    let error = try error(body)
    let found = (error as? StoreError)?.code ?? (error as? IngestError)?.store?.code
    try demand(found == code, "expected \(code), got: \(error)")
  }
}
