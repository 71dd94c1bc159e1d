/// The shared store that decides about the changes of its local copies.
///
/// A ``FeedDatabase`` with an authority is such a copy. It asks the authority under the feed's lock, so
/// one change of a feed is under way at a time in each copy. The calls block their thread.
package protocol FeedAuthority: ImageAuthority {
  /// Brings the copy of a feed up to date.
  ///
  /// - Throws: an error of the shared store; the copy then stays as it is
  func refresh(_ name: FeedName, in database: FeedDatabase) throws(StoreError)

  /// Brings the copy of a feed up to date that a change depends on. Waits for a failover, as the
  /// change does.
  ///
  /// - Parameter isCancelled: called from time to time
  /// - Throws: an error of the shared store; the copy then stays as it is
  func refreshForChange(
    of name: FeedName, in database: FeedDatabase, isCancelled: () -> Bool
  ) throws(StoreError)

  /// Replaces a damaged copy of a feed by another copy, if the shared store has the feed.
  ///
  /// - Parameter lock: the lock of the feed
  /// - Returns: false if the shared store does not have the feed; the copy then stays
  /// - Throws: an error of the shared store
  func replaceCopy(
    of name: FeedName, in database: FeedDatabase, holding lock: FeedLock
  ) throws(StoreError) -> Bool

  /// Whether the copies of feeds have a limit, so that the least recently requested one is removed.
  var limitsCopies: Bool { get }

  /// Whether the shared store had a feed when it was last looked at. Does not ask the shared store.
  func mayHaveFeed(_ name: FeedName) -> Bool

  /// Begins a change: excludes other writers and reserves a number.
  ///
  /// - Parameters:
  ///   - lock: the lock of the feed, which the caller holds until the change has ended
  ///   - copies: whether to bring the copy up to date. A replacement does not need the records, and
  ///     repairs damaged ones.
  ///   - isCancelled: called from time to time
  /// - Returns: nil while another writer changes the feed
  /// - Throws: an error of the shared store
  func beginChange(
    of name: FeedName, in database: FeedDatabase, holding lock: FeedLock, copies: Bool,
    isCancelled: () -> Bool
  ) throws(StoreError) -> (any FeedChange)?
}

/// A change of one feed of a shared store.
///
/// At most one of `publish`, `renew` and `delete` is called, then `finish` once the copy shows the
/// change, or `abandon`.
package protocol FeedChange: AnyObject {
  /// The number of a new generation, which no other generation of the shared store has.
  var number: UInt64 { get }

  /// The generation that the shared store has; nil if there is no such feed.
  var baseGeneration: UInt64? { get }

  /// The state of the feed that the shared store has, also of a deleted feed and of a damaged row; nil
  /// without a row.
  var baseState: SharedState? { get }

  /// Begins to store the blocks of records that are committed in the copy, under the number of the
  /// change. Does not wait. Call it from time to time while records are written.
  ///
  /// - Throws: an error of an earlier call's work
  func pushWrittenBlocks() throws(StoreError)

  /// Stores a sealed generation and makes it visible.
  ///
  /// - Parameter isCancelled: called from time to time until the generation may be visible
  /// - Throws: `conflict` if the feed was changed meanwhile; `cancelled`
  func publish(
    _ generation: SealedGeneration, isCancelled: () -> Bool
  ) throws(StoreError)

  /// Replaces the description of the feed. Its records stay.
  ///
  /// - Throws: `conflict` if the feed was changed meanwhile
  func renew(_ row: SharedRow) throws(StoreError)

  /// Marks the feed as deleted.
  ///
  /// - Returns: false if the shared store has no such feed
  /// - Throws: `conflict` if the feed was changed meanwhile; `damaged` if its row is
  func delete() throws(StoreError) -> Bool

  /// Removes what the change has replaced, and lets other writers begin.
  func finish()

  /// Removes the blocks of `pushWrittenBlocks` unless `publish` was called, and lets other writers
  /// begin. Does nothing after `finish`.
  func abandon()
}

/// A generation whose blocks, row and schema are in the local copy and that no reader sees yet.
package struct SealedGeneration: Sendable {
  package let database: FeedDatabase
  package let row: SharedRow
  /// The text of its schema; empty if none is stored.
  package let schema: [UInt8]
  /// The segment that was written for it; nil if it has no record.
  package let segment: UInt64?
}
