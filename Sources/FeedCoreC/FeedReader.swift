import CFeedCore
import FeedRecord
import FeedStorage

/// A reader of one feed for C: a scan, independent lookups, and the current record.
final class FeedReader: Handle {
  let database: FeedDatabase
  let name: FeedName
  /// The fields of the feed, as of its scan or the last lookup.
  private var plan: FieldPlan { didSet { found.clear(plan) } }
  /// Descriptions of the feed since the scan began, from times when its kind differed. C may still
  /// use them.
  private var former: [FeedObject] = []
  /// The current record: that of a lookup, or one that a scan has read ahead.
  private(set) var current: RecordCopy? { didSet { writtenCount = nil } }
  /// The JSON text of the current record if it is flat, once requested.
  private var written = GrowingMemory<UInt8>(capacity: 256)
  private var writtenCount: Int?

  /// The ids of the fields that C reads; nil for all.
  private var wanted: Set<UInt16>?
  private let found: RecordCopies
  private let ahead: RecordCopies
  /// The generation that a scan reads; nil before it begins and after its end.
  private var scan: Feed?
  /// The position of the next record to read from the store, and the next index in `ahead`.
  private var nextPosition = 0
  private var nextAhead = 0
  private var batch = FeedReader.firstBatch

  /// The scan that feedcore_batch_next continues; nil before it begins and after its end.
  var batches: BatchScan?

  /// The number of records that a scan copies at a time: few at first, then more and more.
  private static let firstBatch = 8
  private static let maximumBatch = 256
  /// The number of bytes after which a batch ends early.
  private static let batchBytes = 256 << 10

  init(_ database: FeedDatabase, _ name: FeedName) throws(StoreError) {
    let description = try database.existingFeed(named: name).description
    self.database = database
    self.name = name
    plan = FieldPlan(description, wanted: nil)
    found = RecordCopies(plan)
    ahead = RecordCopies(plan)
  }

  deinit { written.deallocate() }

  // MARK: Text

  /// The JSON text of the current record, which is valid as long as the record is the current one.
  /// Nil if there is none.
  func text() throws(RecordError) -> UnsafeRawBufferPointer? {
    guard let current else { return nil }
    if let text = try current.documentText() { return text }
    if let count = writtenCount {
      return UnsafeRawBufferPointer(start: written.start, count: count)
    }
    var text: [UInt8] = []
    try current.appendText(to: &text)
    if text.count > written.capacity { written = written.grown(to: text.count, keeping: 0) }
    for (index, byte) in text.enumerated() { (written.start + index).initialize(to: byte) }
    writtenCount = text.count
    return UnsafeRawBufferPointer(start: written.start, count: text.count)
  }

  // MARK: Fields

  /// The fields of the current record, else those of the feed.
  var shown: FieldPlan { current?.plan ?? plan }

  /// Updates to the current fields of the feed.
  private func renew(_ description: FeedDescription) {
    let isSame = plan.isOf(description.storedSchema)
    if !isSame { former.append(plan.feed) }
    plan = FieldPlan(description, wanted: wanted, known: isSame ? plan.feed : nil)
  }

  /// Limits the fields that are read from records from now on.
  func select(_ fields: Set<UInt16>) throws(StoreError) {
    let description = try database.existingFeed(named: name).description
    wanted = fields.isEmpty ? nil : fields
    current = nil
    scan = nil
    renew(description)
    ahead.clear(plan)
    nextAhead = 0
  }

  // MARK: Lookups

  /// Moves to the first record with a key. If there is none, returns false and there is no current
  /// record.
  func get(_ key: RawSpan) throws(StoreError) -> Bool {
    try lookUp(nil, key) { record, position throws(StoreError) in
      try found.append(record, at: position)
      return false
    }
    guard found.count > 0 else { return false }
    current = found.record(0)
    return true
  }

  /// The same with a key as people write it.
  func get(text key: String) throws(StoreError) -> Bool {
    let feed = try currentFeed()
    guard let bytes = feed.keyBytes(ofText: key) else { return false }
    _ = try feed.lookUp(bytes.span.bytes) { record, position throws(StoreError) in
      try found.append(record, at: position)
      return false
    }
    guard found.count > 0 else { return false }
    current = found.record(0)
    return true
  }

  /// Moves to the record at a position. If there is none, returns false and there is no current
  /// record.
  func get(at position: Int) throws(StoreError) -> Bool {
    current = nil
    found.clear()
    _ = try database.visitInCurrent(
      name, position, isKnown: { schema in plan.isOf(schema) }, onUnknown: renew,
      { record, position throws(StoreError) in
        try found.append(record, at: position)
        return false
      })
    guard found.count > 0 else { return false }
    current = found.record(0)
    return true
  }

  /// Visits the records with a value in a field (0 is the key); returns their number.
  func find(
    _ field: UInt16, _ value: RawSpan, _ visit: () -> Bool
  ) throws(StoreError) -> Int {
    var count = 0
    defer { endVisits() }
    try lookUp(field == 0 ? nil : field, value) { record, position throws(StoreError) in
      try beginVisit(record, at: position)
      count += 1
      return visit()
    }
    return count
  }

  /// Makes a record the current one for a visit.
  func beginVisit(_ record: RecordView, at position: Int) throws(StoreError) {
    found.clear()
    try found.append(record, at: position)
    current = found.record(0)
  }

  /// Leaves no current record after visits.
  func endVisits() { current = nil }

  /// The feed as it is published now, with its fields.
  func currentFeed() throws(StoreError) -> Feed {
    current = nil
    found.clear()
    let feed = try database.existingFeed(named: name)
    if !plan.isOf(feed.description.storedSchema) { renew(feed.description) }
    return feed
  }

  /// Runs a lookup in one snapshot, with the fields that the feed has in it.
  @inline(__always)
  private func lookUp(
    _ field: UInt16?, _ value: RawSpan, _ body: (RecordView, Int) throws(StoreError) -> Bool
  ) throws(StoreError) {
    current = nil
    found.clear()
    _ = try database.lookUpInCurrent(
      name, field: field, value,
      isKnown: { schema in plan.isOf(schema) }, onUnknown: renew, body)
  }

  // MARK: Scans

  /// Starts a scan of the current feed.
  func rewind(to position: Int) throws(StoreError) {
    current = nil
    scan = nil
    ahead.clear()
    nextAhead = 0
    let feed = try database.existingFeed(named: name)
    former = []
    plan = FieldPlan(feed.description, wanted: wanted)
    ahead.clear(plan)
    scan = feed
    nextPosition = position
    batch = Self.firstBatch
  }

  /// Moves to the next record. After the last one, returns false and there is no current record.
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
    do throws(StoreError) {
      try scan.scan(from: nextPosition) { record, position throws(StoreError) in
        try ahead.append(record, at: position)
        return ahead.count < batch && ahead.byteCount < Self.batchBytes
      }
    } catch {
      // The records before the fault are returned first; the next call meets it again.
      guard ahead.count > 0 else { throw error }
    }
    nextPosition += ahead.count
    batch = min(2 * batch, Self.maximumBatch)
  }
}
