#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

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
