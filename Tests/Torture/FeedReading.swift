import FeedCore
import FeedStorage

/// Reads feeds of ``KnownRecords`` and holds every record to what it says it is.
enum FeedReading {
  /// The batches of one generation, in order; all of each was there.
  ///
  /// - Parameter pause: called between records
  static func scan(
    _ database: FeedDatabase, _ name: FeedName, pause: () -> Void = {}
  ) throws -> (batches: [KnownRecords], generation: UInt64) {
    var batches: [KnownRecords] = []
    var next = 0
    var total = 0
    let feed = try database.existingFeed(named: name)
    try feed.forEach(University.self) { record in
      pause()
      total += 1
      guard let place = KnownRecords.place(of: record), place.batch.record(place.number) == record
      else { throw TortureFailure("\(name): record \(total) was never stored: \(record)") }
      if next == 0 { batches.append(place.batch) }
      guard place.batch == batches.last, place.number == next else {
        throw TortureFailure(
          "\(name): record \(total) is \(place), not number \(next) of \(batches)")
      }
      next = next + 1 == place.batch.count ? 0 : next + 1
    }
    try demand(next == 0, "\(name): the last batch of \(batches) ends after \(next) records")
    try demand(
      total == feed.description.recordCount,
      "\(name): \(total) records, but \(feed.description.recordCount) published")
    return (batches, feed.description.generation)
  }

  /// The batches that have a record with one of the keys of ``KnownRecords``.
  static func lookUp(
    _ key: String, _ database: FeedDatabase, _ name: FeedName
  ) throws -> [KnownRecords] {
    var batches: [KnownRecords] = []
    let feed = try database.existingFeed(named: name)
    try feed.forEachRecord(withKeyBytes: Array(key.utf8).span.bytes) { record, _ in
      let found = try University(record)
      guard let place = KnownRecords.place(of: found),
        place.number == place.batch.number(of: key), place.batch.record(place.number) == found
      else { throw TortureFailure("\(name): \(key) leads to \(found)") }
      batches.append(place.batch)
    }
    return batches
  }

  /// Everything of a feed that no process changes meanwhile, read in every way there is.
  static func all(_ database: FeedDatabase, _ name: FeedName) throws -> [KnownRecords] {
    let batches = try scan(database, name).batches
    for key in KnownRecords.keys {
      let found = try lookUp(key, database, name)
      try demand(found == batches, "\(name): \(key) is in \(found), the scan shows \(batches)")
    }
    let none = try lookUp("nobody", database, name)
    try demand(none.isEmpty, "\(name): a key that nobody has leads to \(none)")
    return batches
  }
}
