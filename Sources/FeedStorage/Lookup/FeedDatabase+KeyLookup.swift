package import FeedRecord
import LMDB

// Looks up the records with a key, or the record at a position.
extension FeedDatabase {
  /// Looks up in the current generation of a feed, in one snapshot and without a lease. It is for
  /// callers that need the newest generation with each call.
  ///
  /// - Parameters:
  ///   - field: the field to look up by; nil for the key
  ///   - isKnown: whether the caller knows this schema; creating a description costs a good part of
  ///     a lookup
  ///   - onUnknown: receives the feed's description before the first record if the schema is
  ///     unknown
  package func lookUpInCurrent(
    _ name: FeedName, field: UInt16?, _ key: RawSpan,
    isKnown: (StoredSchema?) -> Bool, onUnknown: (FeedDescription) -> Void,
    _ body: (RecordView, Int) throws(StoreError) -> Bool
  ) throws(StoreError) -> Int {
    try readCurrent(name, isKnown, onUnknown) { generation, transaction throws(StoreError) in
      try lookUp(key, field: field, in: generation, transaction, body)
    }
  }

  /// The same for the record at a position, counted from 0.
  package func visitInCurrent(
    _ name: FeedName, _ position: Int,
    isKnown: (StoredSchema?) -> Bool, onUnknown: (FeedDescription) -> Void,
    _ body: (RecordView, Int) throws(StoreError) -> Bool
  ) throws(StoreError) -> Int {
    try readCurrent(name, isKnown, onUnknown) { generation, transaction throws(StoreError) in
      try visit(position, in: generation, transaction, body)
    }
  }

  @inline(__always)
  private func readCurrent(
    _ name: FeedName, _ isKnown: (StoredSchema?) -> Bool, _ onUnknown: (FeedDescription) -> Void,
    _ body: (PublishedGeneration, borrowing ReadTransaction) throws(StoreError) -> Int
  ) throws(StoreError) -> Int {
    try tables.readers.read { transaction throws(StoreError) in
      guard let generation = try generation(of: name, transaction) else { throw notFound(name) }
      if !isKnown(generation.description.storedSchema) { onUnknown(generation.description) }
      return try body(generation, transaction)
    }
  }

  private func visit(
    _ position: Int, in generation: PublishedGeneration,
    _ transaction: borrowing ReadTransaction,
    _ body: (RecordView, Int) throws(StoreError) -> Bool
  ) throws(StoreError) -> Int {
    guard position >= 0, position < generation.description.recordCount else { return 0 }
    var scan = FeedScan(tables, generation, from: position)
    _ = try scan.step(in: transaction) { _, record, position throws(StoreError) in
      _ = try body(record, position)
      return false
    }
    return 1
  }

  /// - Parameter generation: leased, or found in the snapshot of `transaction`
  func lookUp(
    _ key: RawSpan, field identifier: UInt16?, in generation: PublishedGeneration,
    _ transaction: borrowing ReadTransaction,
    _ body: (RecordView, Int) throws(StoreError) -> Bool
  ) throws(StoreError) -> Int {
    var number = StoreFormat.keyIndex
    if identifier == nil, generation.format.keyForm == .position {
      guard let position = Feed.position(key) else { return 0 }
      return try visit(position, in: generation, transaction, body)
    }
    if let identifier {
      guard let index = generation.row.index(of: identifier) else {
        throw StoreError(
          .misuse,
          "the feed \(generation.row.name) has no index by the field \(identifier); ingest it"
            + " again with one",
          path: directory)
      }
      number = index
    }
    let field = generation.keyFields[Int(number)]
    let hash = KeyHash.hash(key)
    var count = 0
    for index in generation.readers.indices {
      let start = generation.start(of: index)
      let lookup = SegmentLookup(generation.readers[index], index: number, isOfSnapshot: true)
      let shouldContinue = try lookup.forEach(keyHash: hash, transaction) {
        _, record, ordinal throws(StoreError) in
        do throws(RecordError) {
          guard try field.matches(record, key) else { return true }
        } catch {
          throw StoreError(error, path: directory)
        }
        count += 1
        return try body(record, start + Int(clamping: ordinal))
      }
      if !shouldContinue { break }
    }
    if count == 0, identifier == nil, generation.format.isDocument,
      let position = Feed.position(key, isSigned: true)
    {
      count = try visit(position, in: generation, transaction, body)
    }
    lookupCounters.count(isFound: count > 0, hash: hash)
    return count
  }
}
