/// Keeps a feed for when it cannot be loaded.
public protocol FeedCache<Item>: Sendable {
  /// What the feed is a list of.
  associatedtype Item: Sendable

  /// Saves a feed; returns when it is kept.
  func save(_ feed: [Item]) async throws
}
