#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Stores one cached feed. It contains no other logic: ``LocalFeedLoader`` decides whether a cache
/// is valid and when it is deleted.
///
/// The module `FeedStoreContract` has the rules of a store, as checks for any implementation. In
/// short: retrieving changes nothing; an insertion replaces the whole cache; order and timestamp
/// are preserved exactly; an empty feed is a cache; deleting nothing is not an error; concurrent
/// calls have the effect of some serial order.
public protocol FeedStore<Item>: Sendable {
  /// The type of the feed's items.
  associatedtype Item: Sendable

  /// The cached feed, or nil if there is none.
  func retrieve() async throws -> CachedFeed<Item>?

  /// Replaces the cached feed. After an error the cache is unchanged.
  func insert(_ feed: [Item], timestamp: Date) async throws

  /// Appends items to the cached feed, which gets the timestamp. Without a cached feed it is an
  /// insertion. After an error the cache is unchanged.
  ///
  /// A store need not implement this: the default retrieves the cache and inserts the longer one.
  /// Two concurrent calls may lose the items of one of them.
  func append(_ feed: [Item], timestamp: Date) async throws

  /// Replaces the cached feed when ``LocalFeedLoader`` saves one.
  ///
  /// A store need not implement this. The default deletes the cache and then inserts the feed, so
  /// there is no cache in between, nor after a failed insertion. A store whose insertion replaces
  /// the cache in one step should implement this without the deletion.
  func replaceCachedFeed(with feed: [Item], timestamp: Date) async throws

  /// Deletes the cached feed; without one it does nothing.
  func deleteCachedFeed() async throws

  /// Deletes the cached feed if it has expired or cannot be retrieved, as the caller has found.
  ///
  /// A store need not implement this: the default deletes whatever is cached. A store that other
  /// writers change checks again while it excludes them, and keeps a feed that has become valid.
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

/// A feed in a store: its items and the time when it was saved.
public struct CachedFeed<Item: Sendable>: Sendable {
  /// The items in insertion order. An empty feed is a cache, too.
  public var feed: [Item]
  /// When the feed was saved, with all bits.
  public var timestamp: Date

  /// Makes a cached feed.
  public init(feed: [Item], timestamp: Date) {
    self.feed = feed
    self.timestamp = timestamp
  }
}

extension CachedFeed: Equatable where Item: Equatable {}
