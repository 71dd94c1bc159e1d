#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A store that keeps nothing, for an app that does without a cache (EssentialNews, where its
/// store cannot be opened). It fails no call, and is always empty.
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
