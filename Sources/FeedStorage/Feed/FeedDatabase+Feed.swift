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
    try feed(named: name, isRequest: true)
  }

  /// The current generation of a feed; nil if there is no feed with this name.
  ///
  /// - Parameter isRequest: whether a client asks for the feed; see `noteRequest`.
  package func feed(named name: FeedName, isRequest: Bool) throws(StoreError) -> Feed? {
    while true {
      // Read first, so that a generation found in a file that replaces this one is recognised.
      let lineage = tables.environment.lineage
      guard let found = try current(name) else { return nil }
      // A sweep that holds the lock removes a generation that was just replaced. The next attempt
      // finds its successor.
      guard let lease = try locks.lease(found.row.generation) else {
        usleep(500)
        continue
      }
      if !lease.isConfirmed {
        // The lease may have been taken after the generation was removed.
        guard try current(name)?.row.generation == found.row.generation else { continue }
        lease.confirm()
      }
      if isRequest { noteRequest(of: name) }
      return Feed(self, found, lease, lineage: lineage)
    }
  }

  /// The current generation of a feed that must exist.
  ///
  /// - Throws: `notFound` if there is no feed with this name; otherwise as ``feed(named:)``
  public func existingFeed(named name: FeedName) throws(StoreError) -> Feed {
    guard let feed = try feed(named: name) else { throw notFound(name) }
    return feed
  }

  /// Whether a feed is still the one that a lookup would return. False after the feed was replaced,
  /// renewed or deleted, or after the file was mapped again. Costs one read transaction.
  package func isCurrent(_ feed: Feed) throws(StoreError) -> Bool {
    try current(feed.description.name) === feed.generation
  }

  private func current(_ name: FeedName) throws(StoreError) -> PublishedGeneration? {
    try tables.readers.read { transaction throws(StoreError) in
      try generation(of: name, transaction)
    }
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
