import FeedCore
import FeedStorage
import Foundation

extension ReaderCrowd {
  /// A named snapshot that is kept while the feed is replaced over and over: it shows what it showed,
  /// its holder is told, and the file grows to its limit and no further.
  func holdSnapshot(seconds: Int) throws -> String {
    let database = try FeedDatabase.open(at: store)
    let size = try database.feed(named: Self.feed)?.storedBytes ?? 0
    let before = try database.statistics().fileBytes
    let limit = before + 3 * size
    let snapshot = try database.snapshot(named: "torture")
    let shown = try snapshot.feed(named: Self.feed)
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
        said.contains("process \(getpid())"), "an ingest beside a snapshot ended with '\(said)'")
    }
    try demand(refused > 0, "\(stored) ingests in \(seconds) s did not reach the limit")
    let told = database.snapshots
    try demand(
      told.count == 1 && told[0].name == "torture" && told[0].age >= .seconds(seconds),
      "after \(seconds) s these snapshots are told: \(told)")
    let growth = try database.statistics().fileBytes - before
    // An ingest looks now and then only, so the last one may be whole.
    try demand(growth <= 3 * size + size * 3 / 2, "the file grew by \(growth), over its limit")
    try requireUnchanged(snapshot, shown)
    snapshot.end()
    for number in 0..<4 {
      try demand(try ingest(number) == 0, "an ingest after a snapshot failed")
    }
    let after = try database.statistics().fileBytes - before
    try demand(after == growth, "the file grows on without the snapshot, by \(after)")
    return "beside a snapshot of \(seconds) s the file grew by \(growth >> 20) MB in \(stored)"
      + " ingests of \(size >> 20) MB, \(refused) were refused and named its process, and it"
      + " showed the same to the end"
  }

  private func requireUnchanged(_ snapshot: FeedSnapshot, _ shown: FeedDescription?) throws {
    try demand(
      try shown != nil && snapshot.feed(named: Self.feed) == shown,
      "the snapshot shows another generation")
    var (count, isWhole) = (0, true)
    try snapshot.forEachRecord(in: Self.feed) { record, position throws(StoreError) in
      do throws(RecordError) {
        let found = try University(record)
        isWhole = KnownRecords.place(of: found).map { $0.batch.record(position) == found } ?? false
      } catch {
        throw StoreError(error)
      }
      count += 1
      return isWhole
    }
    try demand(
      isWhole && count == shown?.recordCount,
      "record \(count) of the snapshot is not what it was")
  }
}
