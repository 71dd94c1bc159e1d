import FeedCore
import FeedStorage
import Foundation
import TestSupport

extension ReaderCrowd {
  /// Holds a read transaction open while the feed is replaced repeatedly.
  ///
  /// The file grows up to its limit, and refused ingests name the process. An earlier feed shows
  /// the same records to the end.
  func holdReader(seconds: Int) throws -> String {
    let database = try FeedDatabase.open(at: store)
    let feed = try database.existingFeed(named: Self.feed)
    let size = feed.description.storedBytes
    let before = try database.statistics().fileBytes
    let limit = before + 3 * size
    let reader = try HeldReader(of: database)
    var (stored, refused) = (0, 0)
    let end = ContinuousClock.now + .seconds(seconds)
    while ContinuousClock.now < end {
      if try ingest(stored, ["--file-limit", "\(limit)"]) == 0 {
        stored += 1
        continue
      }
      refused += 1
      let said = try String(contentsOfFile: errors, encoding: .utf8)
      try demand(
        said.contains("process \(getpid())"), "an ingest next to a reader ended with '\(said)'")
    }
    try demand(refused > 0, "\(stored) ingests in \(seconds) s did not reach the limit")
    let growth = try database.statistics().fileBytes - before
    // An ingest checks the limit only occasionally, so the last one may be complete.
    try demand(growth <= 3 * size + size * 3 / 2, "the file grew by \(growth), over its limit")
    try requireUnchanged(feed)
    reader.end()
    for number in 0..<4 {
      try demand(try ingest(number) == 0, "an ingest after the reader had ended failed")
    }
    let after = try database.statistics().fileBytes - before
    // The earlier feed keeps its own blocks.
    try demand(after <= growth + 2 * size, "the file still grows without the reader, by \(after)")
    try requireUnchanged(feed)
    return "next to a reader of \(seconds) s the file grew by \(growth >> 20) MB in \(stored)"
      + " ingests of \(size >> 20) MB, \(refused) were refused and named its process, and the feed"
      + " from before showed the same to the end"
  }

  private func requireUnchanged(_ feed: Feed) throws {
    var count = 0
    try feed.forEach(University.self) { found in
      let isWhole = KnownRecords.place(of: found).map { $0.batch.record(count) == found } ?? false
      try demand(isWhole, "record \(count) of the old feed is not what it was")
      count += 1
    }
    try demand(count == feed.description.recordCount, "the old feed ends after \(count) records")
  }
}
