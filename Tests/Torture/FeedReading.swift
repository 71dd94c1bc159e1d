import FeedCore
import FeedRecord
import FeedSchema
import FeedStorage

/// Reads feeds of ``KnownRecords`` and compares every record with its expected contents.
enum FeedReading {
  /// The batches of one generation, in order, all of them complete.
  ///
  /// - Parameter pause: called between records
  static func scan(
    _ database: FeedDatabase, _ name: FeedName, pause: () -> Void = {}
  ) throws -> (batches: [KnownRecords], generation: UInt64) {
    var batches: [KnownRecords] = []
    var next = 0
    var total = 0
    let feed = try database.existingFeed(named: name)
    try feed.forEachRecord { record, _ in
      pause()
      total += 1
      let place = try place(of: record, in: feed)
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
    if let first = batches.first, first.isDocument { try requireDocument(feed, first) }
    return (batches, feed.description.generation)
  }

  /// The location of a record, which must equal the stored record byte for byte.
  private static func place(
    of record: borrowing RecordView, in feed: Feed
  ) throws -> (batch: KnownRecords, number: Int) {
    if feed.schema.document == nil {
      let found = try University(record)
      if let place = KnownRecords.place(of: found), place.batch.record(place.number) == found {
        return place
      }
      throw TortureFailure("\(feed.description.name): a record was never stored: \(found)")
    }
    var text: [UInt8] = []
    try feed.appendJSON(of: record, to: &text)
    let found = JSONValue(validated: text)
    if let place = KnownRecords.place(of: found), place.batch.json(place.number) == found.text {
      return place
    }
    throw TortureFailure("\(feed.description.name): a record was never stored: \(found)")
  }

  /// Requires that the text around the records and the schema match the records.
  private static func requireDocument(_ feed: Feed, _ batch: KnownRecords) throws {
    let name = feed.description.name
    let frame = FeedFrame(feed.description, .source)
    let envelope = batch.envelope
    for (isAfterRecords, expected) in [(false, envelope.before), (true, envelope.after + "\n")] {
      var text: [UInt8] = []
      try frame.forEachPart(of: feed, isAfterRecords: isAfterRecords) { part in
        part.withUnsafeBytes { text.append(contentsOf: $0) }
      }
      try demand(
        text.elementsEqual(expected.utf8), "\(name): other text is around the records of \(batch)")
    }
    try demand(feed.description.envelopeChunks > 1, "\(name): the text is not kept in parts")
    let statistics = DocumentStatistics(schemaText: feed.description.schemaText)
    try demand(
      feed.schema.keyTexts == ["name"] && statistics?.records == feed.description.recordCount,
      "\(name): the schema is not that of \(feed.description.recordCount) records")
  }

  /// The batches that have a record with one of the keys of ``KnownRecords``.
  static func lookUp(
    _ key: String, _ database: FeedDatabase, _ name: FeedName
  ) throws -> [KnownRecords] {
    var batches: [KnownRecords] = []
    let feed = try database.existingFeed(named: name)
    try feed.forEachRecord(withKeyBytes: Array(key.utf8).span.bytes) { record, _ in
      let place = try place(of: record, in: feed)
      try demand(place.number == place.batch.number(of: key), "\(name): \(key) leads to \(place)")
      batches.append(place.batch)
    }
    return batches
  }

  /// All batches of a feed that no process changes meanwhile, read in every available way.
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
