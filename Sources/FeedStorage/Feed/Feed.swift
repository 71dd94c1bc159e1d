public import FeedRecord
import FeedSchema
import LMDB

/// One generation of a feed, to be read any number of times.
///
/// All reads of a `Feed` see the same records, even after the feed was replaced or deleted. The
/// next ``FeedDatabase/feed(named:)`` returns the newer generation.
///
/// ```swift
/// guard let feed = try database.feed(named: FeedName("universities")) else { return }
/// print(feed.description.recordCount)
/// try feed.forEachRecord { record, position in
///   print(position, record.bytes.byteCount)
/// }
/// ```
///
/// A feed holds a lease, which keeps its blocks in the store, and no LMDB transaction: pages that
/// other feeds free are reused meanwhile. Release it when it is no longer needed. Getting one costs
/// a read transaction; the first of a generation in a process also costs a system call and a second
/// read transaction.
public final class Feed: Sendable {
  /// The properties of the generation when it was looked up.
  public let description: FeedDescription
  let database: FeedDatabase
  let generation: PublishedGeneration
  private let lease: GenerationLease
  /// The lineage of the file in which the generation was found.
  private let lineage: UInt64

  init(
    _ database: FeedDatabase, _ generation: PublishedGeneration, _ lease: GenerationLease,
    lineage: UInt64
  ) {
    self.database = database
    self.generation = generation
    self.lease = lease
    self.lineage = lineage
    description = generation.description
  }

  // MARK: Scans

  /// Calls `body` with each record and its position, in document order.
  ///
  /// The record is valid only during the call. An error of `body` ends the scan.
  ///
  /// The LMDB transaction is renewed every 10,000 records or 50 ms, so a long scan does not make the
  /// store grow. It is not renewed while `body` runs: a body that waits, for a slow client for
  /// example, should copy records and return.
  ///
  /// - Parameters:
  ///   - offset: the number of records to skip; they are not read
  ///   - limit: the maximum number of records to pass
  ///   - body: receives each record and its position
  /// - Throws: ``StoreError``: `damaged` if blocks are damaged or missing; `replaced` if a restored
  ///   store lacks the rest; the error of `body`
  public func forEachRecord(
    from offset: Int = 0, limit: Int = .max, _ body: (RecordView, Int) throws -> Void
  ) throws {
    guard limit > 0 else { return }
    var caught = CaughtError()
    var count = 0
    try scan(from: offset) { record, position throws(StoreError) in
      guard caught.pass(record, position, to: body) else { return false }
      count += 1
      return count < limit
    }
    try caught.rethrow()
  }

  /// The same for code of this package: `body` returns whether to continue.
  package func scan(
    from offset: Int = 0, _ body: (RecordView, Int) throws(StoreError) -> Bool
  ) throws(StoreError) {
    var scan = FeedScan(database.tables, generation, from: max(offset, 0), lineage: lineage)
    while try scan.step({ _, record, position throws(StoreError) in try body(record, position) }) {}
  }

  // MARK: Lookups

  /// Calls `body` with the first record whose key has these bytes.
  ///
  /// `body` runs in one LMDB transaction, so it should not wait. The key of a text field is its UTF-8,
  /// that of a UUID its 16 bytes. One descent finds the index
  /// entry and one the record; cached locations of blocks save both.
  ///
  /// - Parameters:
  ///   - key: the bytes of the key
  ///   - body: receives the record and its position
  /// - Returns: the result of `body`; nil if there is no such record
  /// - Throws: ``StoreError`` `damaged`; the error of `body`
  public func withRecord<R>(
    withKeyBytes key: RawSpan, _ body: (RecordView, Int) throws -> R
  ) throws -> R? {
    var result: Result<R, any Error>?
    _ = try lookUp(key) { record, position throws(StoreError) in
      result = Result { try body(record, position) }
      return false
    }
    return try result?.get()
  }

  /// Calls `body` with every record whose key has these bytes, and its position, in document order.
  ///
  /// - Parameters:
  ///   - key: the bytes of the key
  ///   - body: receives each record and its position
  /// - Returns: the number of records
  /// - Throws: ``StoreError`` `damaged`; the error of `body`, which ends the lookup
  @discardableResult
  public func forEachRecord(
    withKeyBytes key: RawSpan, _ body: (RecordView, Int) throws -> Void
  ) throws -> Int {
    try forEachMatch(nil, key, body)
  }

  /// Calls `body` with every record whose indexed field, or an element of whose indexed list, has
  /// these bytes, in document order.
  ///
  /// - Parameters:
  ///   - field: the id of the key field, or of one of the feed's indexed fields
  ///   - bytes: as for the key; an integer is its 8 bytes, big-endian
  ///   - body: receives each record and its position
  /// - Returns: the number of records
  /// - Throws: ``StoreError``: `misuse` if the feed has no index for this field; otherwise as for
  ///   the key
  @discardableResult
  public func forEachRecord(
    whereField field: UInt16, hasBytes bytes: RawSpan,
    _ body: (RecordView, Int) throws -> Void
  ) throws -> Int {
    try forEachMatch(field, bytes, body)
  }

  private func forEachMatch(
    _ field: UInt16?, _ key: RawSpan, _ body: (RecordView, Int) throws -> Void
  ) throws -> Int {
    var caught = CaughtError()
    let count = try lookUp(key, field: field) { record, position throws(StoreError) in
      caught.pass(record, position, to: body)
    }
    try caught.rethrow()
    return count
  }

  /// The same for code of this package: `body` returns whether to continue.
  ///
  /// - Parameter field: the field to look up by; nil for the key
  package func lookUp(
    _ key: RawSpan, field: UInt16? = nil,
    _ body: (RecordView, Int) throws(StoreError) -> Bool
  ) throws(StoreError) -> Int {
    do throws(StoreError) {
      return try database.tables.readers.read { transaction throws(StoreError) in
        try database.lookUp(key, field: field, in: generation, transaction, body)
      }
    } catch  where error.code == .damaged {
      throw damaged(error)
    }
  }

  /// Calls `body` with the record at a position.
  ///
  /// - Returns: 1, or 0 if the feed has fewer records
  package func visit(
    _ position: Int, _ body: (RecordView, Int) throws(StoreError) -> Bool
  ) throws(StoreError) -> Int {
    guard position >= 0, position < description.recordCount else { return 0 }
    try scan(from: position) { record, position throws(StoreError) in
      _ = try body(record, position)
      return false
    }
    return 1
  }

  /// Prefetches what subsequent lookups of up to sixteen keys will read, for all keys at once. Each
  /// lookup alone would wait for memory several times. Returns nothing, and may do nothing.
  ///
  /// - Parameter keyHashes: `KeyHash` of each key's bytes
  package func prefetchRecords(withKeyHashes keyHashes: Span<UInt64>) {
    try? database.tables.readers.read { transaction throws(StoreError) in
      // Data of more segments would evict those of the first ones from the fastest cache.
      for reader in generation.readers.prefix(2) {
        SegmentLookup(reader, isOfSnapshot: true).prefetch(keyHashes, transaction)
      }
    }
  }

  /// Blocks of a restored store are not damaged: the store never had them.
  private func damaged(_ error: StoreError) -> StoreError {
    let environment = database.tables.environment
    guard environment.lineage != lineage else { return error }
    return .replacedWhileRead(environment.path)
  }
}

extension StoreError {
  static func replacedWhileRead(_ path: String) -> StoreError {
    StoreError(
      .replaced,
      "the store was replaced by a restored one while the feed was read; open the feed again",
      path: path)
  }
}

/// The error of a body that may throw any error, which ends a read.
struct CaughtError {
  private var error: (any Error)?

  /// Passes a record to a body. Returns false if the body has thrown.
  mutating func pass(
    _ record: RecordView, _ position: Int, to body: (RecordView, Int) throws -> Void
  ) -> Bool {
    do {
      try body(record, position)
      return true
    } catch {
      self.error = error
      return false
    }
  }

  /// Throws the error, if there is one.
  func rethrow() throws {
    if let error { throw error }
  }
}
