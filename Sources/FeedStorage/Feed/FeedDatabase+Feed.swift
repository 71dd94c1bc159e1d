package import FeedRecord
import LMDB

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension FeedDatabase {
  /// A unique number that the store got at its creation.
  package var identifier: UInt64 { tables.identifier }

  /// The current generation of a feed; nil if there is no feed with this name.
  ///
  /// - Throws: `damaged`; errors of reading the store
  public func feed(named name: FeedName) throws(StoreError) -> Feed? {
    while true {
      // Read first: what is found in a file that replaces this one is then recognised.
      let lineage = tables.environment.lineage
      guard let found = try current(name) else { return nil }
      // A sweep that holds the lock removes a generation that was just replaced. The next attempt
      // finds its successor.
      guard let lease = try locks.lease(found.row.generation) else {
        usleep(500)
        continue
      }
      if !lease.isConfirmed {
        // The lease may have come after the removal of the generation.
        guard try current(name)?.row.generation == found.row.generation else { continue }
        lease.confirm()
      }
      return Feed(self, found, lease, lineage: lineage)
    }
  }

  /// The current generation of a feed that has to exist.
  ///
  /// - Throws: `notFound` if there is no feed with this name; otherwise as ``feed(named:)``
  public func existingFeed(named name: FeedName) throws(StoreError) -> Feed {
    guard let feed = try feed(named: name) else { throw notFound(name) }
    return feed
  }

  /// Whether a feed is what a look-up would find now. It is not after the feed was replaced, renewed
  /// or deleted, or after the file was mapped again. Costs one read transaction.
  package func isCurrent(_ feed: Feed) throws(StoreError) -> Bool {
    try current(feed.description.name) === feed.generation
  }

  private func current(_ name: FeedName) throws(StoreError) -> PublishedGeneration? {
    try tables.readers.read { transaction throws(StoreError) in
      try generation(of: name, transaction)
    }
  }

  /// Looks up in the current generation of a feed, in one snapshot and without a lease, for callers
  /// that want the newest generation with each call.
  ///
  /// - Parameters:
  ///   - field: the field to look up by; nil for the key
  ///   - isKnown: whether records of this schema are known; creating a description costs a good
  ///     part of a lookup
  ///   - onUnknown: receives the description of an unknown one, before its first record
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
      let lookup = KeyLookup(generation.readers[index], index: number, isOfSnapshot: true)
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

/// A committed state of a store. Two states are equal only if no process has committed in between.
package struct StoreState: Hashable, Sendable {
  let snapshot: Snapshot?
}

extension FeedDatabase {
  /// The state that a read would see now. Costs one read transaction and no lookup.
  package func state() throws(StoreError) -> StoreState {
    try tables.environment.read { transaction throws(StoreError) in
      StoreState(snapshot: transaction.snapshot)
    }
  }
}
