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

/// An image store that lives as long as the process, for previews and tests. It is unbounded:
/// inserted images stay.
public actor InMemoryImageDataStore: FeedImageDataStore {
  private var images: [URL: Data]

  /// Makes a store, optionally with images.
  public init(_ images: [URL: Data] = [:]) { self.images = images }

  public func insert(_ data: Data, for url: URL) { images[url] = data }

  public func retrieve(dataForURL url: URL) -> Data? { images[url] }
}

/// Delivers a feed from memory, such as the items of a view or a preview.
public struct InMemoryFeedLoader<Item: Sendable>: FeedLoader {
  private let feed: [Item]

  /// Makes a loader for these items.
  public init(_ feed: [Item]) { self.feed = feed }

  public func load() -> [Item] { feed }
}

/// A store that discards everything, for an app without a cache (EssentialNews, if its store cannot
/// be opened). It never fails and is always empty.
public struct NullStore<Item: Sendable>: FeedStore, FeedImageDataStore {
  /// Makes a store.
  public init() {}

  public func retrieve() -> CachedFeed<Item>? { nil }

  public func insert(_ feed: [Item], timestamp: Date) {}

  public func append(_ feed: [Item], timestamp: Date) async {}

  public func deleteCachedFeed() {}

  public func insert(_ data: Data, for url: URL) {}

  public func retrieve(dataForURL url: URL) -> Data? { nil }
}
