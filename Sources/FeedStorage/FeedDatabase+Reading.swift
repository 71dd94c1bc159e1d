public import FeedRecord
import LMDB

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension FeedDatabase {
  /// Calls `body` with each record of a feed and its position, in document order, from a position
  /// on, until it returns false.
  ///
  /// All records belong to one generation, even if the feed is replaced meanwhile. The snapshot is
  /// renewed every few blocks, so a slow body does not make the store grow.
  ///
  /// - Returns: the description of the generation that was read
  /// - Throws: `notFound`; `damaged` if blocks are damaged or missing; `replaced` if a restored
  ///   store lacks the rest; the error of `body`
  @discardableResult
  public func forEachRecord(
    in name: FeedName, from offset: Int = 0,
    _ body: (RecordView, Int) throws(StoreError) -> Bool
  ) throws(StoreError) -> FeedDescription {
    try forEachRecord(in: name, from: offset, prepare: { _ throws(StoreError) in }, body)
  }

  /// Does the same, and passes the description of the generation before its first record.
  @discardableResult
  public func forEachRecord(
    in name: FeedName, from offset: Int = 0,
    prepare: (FeedDescription) throws(StoreError) -> Void,
    _ body: (RecordView, Int) throws(StoreError) -> Bool
  ) throws(StoreError) -> FeedDescription {
    let lineage = tables.environment.lineage
    let (generation, lease) = try lease(name)
    defer { withExtendedLifetime(lease) {} }
    try prepare(generation.description)
    var scan = FeedScan(tables, generation, from: max(offset, 0), lineage: lineage)
    while try scan.step({ block, record, position throws(StoreError) in
      try body(record, position)
    }) {}
    return generation.description
  }

  /// Calls `body` with every record of a feed whose key has these bytes, and its position, in
  /// document order, until it returns false.
  ///
  /// The key of a text field is its UTF-8, that of a UUID its 16 bytes. Everything is read from one
  /// snapshot, with one descent to the index and one to each record. Cached locations of blocks
  /// save the descents.
  ///
  /// - Returns: the number of records passed to `body`
  /// - Throws: `notFound` if there is no such feed; `damaged`; the error of `body`
  @discardableResult
  public func forEachRecord(
    in name: FeedName, withKeyBytes key: RawSpan,
    _ body: (RecordView, Int) throws(StoreError) -> Bool
  ) throws(StoreError) -> Int {
    try tables.readers.read { transaction throws(StoreError) in
      try forEachRecord(in: name, by: nil, key, transaction, body)
    }
  }

  /// Calls `body` with every record of a feed whose indexed field, or an element of whose indexed
  /// list, has these bytes, in document order, until it returns false.
  ///
  /// - Parameters:
  ///   - name: the feed
  ///   - field: the id of the key field, or of one of the feed's indexed fields
  ///   - bytes: as for the key; an integer is its 8 bytes, big-endian
  ///   - body: receives each record and its position
  /// - Returns: the number of records passed to `body`
  /// - Throws: `misuse` if the feed has no index for this field; otherwise as for the key
  @discardableResult
  public func forEachRecord(
    in name: FeedName, whereField field: UInt16, hasBytes bytes: RawSpan,
    _ body: (RecordView, Int) throws(StoreError) -> Bool
  ) throws(StoreError) -> Int {
    try tables.readers.read { transaction throws(StoreError) in
      try forEachRecord(in: name, by: field, bytes, transaction, body)
    }
  }

  /// Looks up by the key (nil) or a field, for callers that need the feed's description: the feed
  /// may just have changed its kind.
  ///
  /// - Parameters:
  ///   - knows: whether this kind with this layout is known
  ///   - learn: receives the description of an unknown one, before its first record
  package func forEachRecord(
    in name: FeedName, by identifier: UInt16?, hasBytes bytes: RawSpan,
    knows: (_ kind: String, RecordLayout) -> Bool, learn: (FeedDescription) -> Void,
    _ body: (RecordView, Int) throws(StoreError) -> Bool
  ) throws(StoreError) -> Int {
    try tables.readers.read { transaction throws(StoreError) in
      try forEachRecord(
        in: name, by: identifier, bytes, transaction,
        prepare: { generation in
          // Creating the description costs a good part of a lookup.
          if !knows(generation.row.kind, generation.row.layout) { learn(generation.description) }
        }, body)
    }
  }

  /// - Parameter identifier: the field to look up by; nil for the key.
  func forEachRecord(
    in name: FeedName, by identifier: UInt16?, _ key: RawSpan,
    _ transaction: borrowing ReadTransaction, prepare: (PublishedGeneration) -> Void = { _ in },
    _ body: (RecordView, Int) throws(StoreError) -> Bool
  ) throws(StoreError) -> Int {
    guard let generation = try generation(of: name, transaction) else { throw notFound(name) }
    prepare(generation)
    var number = StoreFormat.keyIndex
    if let identifier {
      guard let index = generation.row.index(of: identifier) else {
        throw StoreError(
          .misuse,
          "the feed \(name) has no index by the field \(identifier); ingest it again with one",
          path: directory)
      }
      number = index
    }
    let field = generation.keyFields[Int(number)]
    let hash = KeyHash.hash(key)
    var count = 0
    for index in generation.readers.indices {
      let start = generation.start(of: index)
      let lookup = KeyLookup(generation.readers[index], index: number, isOfSnapshot: true)
      let goesOn = try lookup.forEach(keyHash: hash, transaction) {
        _, record, ordinal throws(StoreError) in
        do throws(RecordError) {
          guard try field.matches(record, key) else { return true }
        } catch {
          throw StoreError(error, path: directory)
        }
        count += 1
        return try body(record, start + Int(clamping: ordinal))
      }
      if !goesOn { break }
    }
    lookupCounters.count(isFound: count > 0, hash: hash)
    return count
  }

  /// Prefetches what subsequent lookups of up to sixteen keys will read, for all keys at once. Each
  /// lookup alone would wait for memory several times. Returns nothing, and may do nothing.
  ///
  /// - Parameters:
  ///   - name: the feed
  ///   - keyHashes: `KeyHash` of each key's bytes
  package func prefetchRecords(in name: FeedName, withKeyHashes keyHashes: Span<UInt64>) {
    try? tables.readers.read { transaction throws(StoreError) in
      guard let generation = try generation(of: name, transaction) else { return }
      // Data of more segments would evict those of the first ones from the fastest cache.
      for reader in generation.readers.prefix(2) {
        KeyLookup(reader, isOfSnapshot: true).prefetch(keyHashes, transaction)
      }
    }
  }

  /// The current generation of a feed, with a lock that keeps sweeps from removing it.
  func lease(
    _ name: FeedName
  ) throws(StoreError) -> (PublishedGeneration, FileLock) {
    while true {
      let seen = try current(name)
      // A sweep that holds the lease removes a generation that was just replaced. The next attempt
      // finds its successor.
      guard let lock = try locks.lease(seen.row.generation, .shared) else {
        usleep(500)
        continue
      }
      if try current(name).row.generation == seen.row.generation { return (seen, lock) }
    }
  }

  private func current(_ name: FeedName) throws(StoreError) -> PublishedGeneration {
    try tables.environment.read { transaction throws(StoreError) in
      guard let generation = try generation(of: name, transaction) else { throw notFound(name) }
      return generation
    }
  }
}
