#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A place for one cached feed. It has no logic of its own: what is valid, and when a cache is
/// deleted, is decided by ``LocalFeedLoader``.
///
/// The module `FeedStoreContract` has the rules that a store keeps, as checks that may be run
/// against any implementation. In short: retrieving changes nothing; an insertion replaces the
/// whole cache; order and timestamp come back exactly; an empty feed is a cache; deleting nothing
/// is no error; concurrent calls have the effect of some serial order.
public protocol FeedStore<Item>: Sendable {
  /// What the feed is a list of.
  associatedtype Item: Sendable

  /// The cached feed, or nil where there is none.
  func retrieve() async throws -> CachedFeed<Item>?

  /// Puts a feed in the place of the cached one; on an error the cache is as it was.
  func insert(_ feed: [Item], timestamp: Date) async throws

  /// Adds items behind those of the cached feed, which gets the timestamp; without a cached feed
  /// it is an insertion. On an error the cache is as it was.
  ///
  /// A store need not implement this: the default retrieves the cache and inserts the longer one.
  /// Two of these at once may lose the items of one of them.
  func append(_ feed: [Item], timestamp: Date) async throws

  /// Puts a feed in the place of the cached one, as ``LocalFeedLoader`` saves it.
  ///
  /// A store need not implement this: the default deletes the cache and then inserts the feed, so
  /// that there is none in between, nor after an insertion that failed. A store whose insertion
  /// replaces the cache in one step has no need of the deletion, and does better without.
  func replaceCachedFeed(with feed: [Item], timestamp: Date) async throws

  /// Removes the cached feed; without one it does nothing.
  func deleteCachedFeed() async throws

  /// Removes the cached feed if it has expired or cannot be retrieved, which the caller has found
  /// it to.
  ///
  /// A store need not implement this: the default deletes whatever is cached. A store that others
  /// change, too, looks again when nobody else does, and keeps a feed that is valid by then.
  ///
  /// - Parameter isValid: whether a cache with this timestamp is valid.
  func deleteCachedFeed(unless isValid: @escaping @Sendable (Date) -> Bool) async throws
}

extension FeedStore {
  public func append(_ feed: [Item], timestamp: Date) async throws {
    let cached = try await retrieve()?.feed ?? []
    try await insert(cached + feed, timestamp: timestamp)
  }

  public func replaceCachedFeed(with feed: [Item], timestamp: Date) async throws {
    try await deleteCachedFeed()
    try await insert(feed, timestamp: timestamp)
  }

  public func deleteCachedFeed(unless isValid: @escaping @Sendable (Date) -> Bool) async throws {
    try await deleteCachedFeed()
  }
}
