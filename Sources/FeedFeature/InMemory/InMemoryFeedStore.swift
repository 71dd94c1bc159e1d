#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A feed store that lives as long as the process, for previews, tests, and apps whose store cannot
/// be opened.
public actor InMemoryFeedStore<Item: Sendable>: FeedStore {
  private var cache: CachedFeed<Item>?

  /// Makes a store, optionally with a cache.
  public init(_ cache: CachedFeed<Item>? = nil) { self.cache = cache }

  public func retrieve() -> CachedFeed<Item>? { cache }

  public func insert(_ feed: [Item], timestamp: Date) {
    cache = CachedFeed(feed: feed, timestamp: timestamp)
  }

  public func append(_ feed: [Item], timestamp: Date) async {
    cache = CachedFeed(feed: (cache?.feed ?? []) + feed, timestamp: timestamp)
  }

  public func replaceCachedFeed(with feed: [Item], timestamp: Date) async {
    insert(feed, timestamp: timestamp)
  }

  public func deleteCachedFeed() { cache = nil }

  public func deleteCachedFeed(unless isValid: @escaping @Sendable (Date) -> Bool) async {
    if let cache, isValid(cache.timestamp) { return }
    cache = nil
  }
}
