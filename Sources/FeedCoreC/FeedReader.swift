import CFeedCore
import FeedRecord
import FeedStorage

/// A reader of one feed as C has it: a scan, a look-up beside it, and the record on which it stands.
final class FeedReader: Handle {
  private let database: FeedDatabase
  private let name: FeedName
  private(set) var feed: FeedObject
  private(set) var plan: FieldPlan { didSet { found.clear(plan) } }
  /// The record on which it stands: that of a look-up, or one of those that a scan has read ahead.
  private(set) var current: RecordCopy?

  /// The ids of the fields that C wants to read; nil for all.
  private var wanted: Set<UInt16>?
  private let found: RecordCopies
  private let ahead: RecordCopies
  private var scan: LeasedFeed?
  /// The position of the record to be read from the store next, and the next one of `ahead`.
  private var nextPosition = 0
  private var nextAhead = 0
  private var batch = FeedReader.firstBatch

  /// Records that a scan copies at a time: few for who wants few, then more and more.
  private static let firstBatch = 8
  private static let largestBatch = 256
  /// Bytes after which it stops before that.
  private static let batchBytes = 256 << 10
  /// Times that a look-up takes the fields anew, each time for another feed of the same name.
  private static let attempts = 8

  init(_ database: FeedDatabase, _ name: FeedName) throws(StoreError) {
    guard let description = try database.feed(named: name) else {
      throw StoreError(.notFound, "there is no feed named \(name)", path: database.directory)
    }
    self.database = database
    self.name = name
    feed = FeedObject(description)
    plan = FieldPlan(description, wanted: nil)
    found = RecordCopies(plan)
    ahead = RecordCopies(plan)
  }

  /// Takes no more than some fields out of records from now on.
  func select(_ fields: Set<UInt16>) throws(StoreError) {
    guard let description = try database.feed(named: name) else {
      throw StoreError(.notFound, "there is no feed named \(name)", path: database.directory)
    }
    wanted = fields.isEmpty ? nil : fields
    current = nil
    scan = nil
    plan = FieldPlan(description, wanted: wanted)
    ahead.clear(plan)
    nextAhead = 0
  }

  // MARK: Look-ups

  /// Moves to the first record of a key; false, and on none, where there is none.
  func get(_ key: RawSpan) throws(StoreError) -> Bool {
    var isThere = false
    try lookUp { () throws(StoreError) in
      isThere = false
      var fits = true
      try database.forEachRecord(in: name, withKeyBytes: key) {
        record, position throws(StoreError) in
        fits = try found.append(record, at: position, isOfPlan: false)
        isThere = fits
        return false
      }
      return fits
    }
    if isThere { current = found.record(0) }
    return isThere
  }

  /// Visits the records that have a value in a field, 0 being the key; returns how many.
  func find(
    _ field: UInt16, _ value: RawSpan, _ visit: () -> Bool
  ) throws(StoreError) -> Int {
    var count = 0
    var fits = true
    func body(_ record: RecordView, _ position: Int) throws(StoreError) -> Bool {
      found.clear()
      fits = try found.append(record, at: position, isOfPlan: false)
      guard fits else { return false }
      current = found.record(0)
      count += 1
      return visit()
    }
    defer { current = nil }
    try lookUp { () throws(StoreError) in
      fits = true
      if field == 0 {
        try database.forEachRecord(in: name, withKeyBytes: value, body)
      } else {
        try database.forEachRecord(in: name, whereField: field, hasBytes: value, body)
      }
      return fits
    }
    return count
  }

  /// Runs a look-up, and once more with the feed's fields as they are now where they have become
  /// others.
  @inline(__always)
  private func lookUp(_ body: () throws(StoreError) -> Bool) throws(StoreError) {
    current = nil
    for _ in 0..<Self.attempts {
      found.clear()
      if try body() { return }
      guard let description = try database.feed(named: name) else {
        throw StoreError(.notFound, "there is no feed named \(name)", path: database.directory)
      }
      plan = FieldPlan(description, wanted: wanted)
    }
    throw StoreError(.busy, "the feed \(name) is being replaced again and again; try later")
  }

  // MARK: Scans

  /// Begins a scan of the feed as it is now.
  func rewind(to position: Int) throws(StoreError) {
    current = nil
    scan = nil
    ahead.clear()
    nextAhead = 0
    let leased = try database.leasedFeed(named: name)
    feed = FeedObject(leased.description)
    plan = FieldPlan(leased.description, wanted: wanted)
    ahead.clear(plan)
    scan = leased
    nextPosition = position
    batch = Self.firstBatch
  }

  /// Moves to the next record; false, and on none, behind the last one.
  func next() throws(StoreError) -> Bool {
    current = nil
    if nextAhead == ahead.count {
      if scan == nil { try rewind(to: 0) }
      try readAhead()
    }
    guard nextAhead < ahead.count else {
      scan = nil
      return false
    }
    current = ahead.record(nextAhead)
    nextAhead += 1
    return true
  }

  private func readAhead() throws(StoreError) {
    ahead.clear()
    nextAhead = 0
    guard let scan else { return }
    var fits = true
    do throws(StoreError) {
      try scan.forEachRecord(from: nextPosition) { record, position throws(StoreError) in
        fits = try ahead.append(record, at: position, isOfPlan: true)
        return fits && ahead.count < batch && ahead.byteCount < Self.batchBytes
      }
    } catch {
      // The records before it come first; the next call meets it again.
      guard ahead.count > 0 else { throw error }
    }
    guard fits || ahead.count > 0 else {
      throw StoreError(
        .damaged, "a record has other fields than its feed; delete the feed and ingest again",
        path: database.directory)
    }
    nextPosition += ahead.count
    batch = min(2 * batch, Self.largestBatch)
  }
}
