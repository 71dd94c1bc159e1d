/// Saves a feed for the time when it cannot be loaded.
public protocol FeedCache<Item>: Sendable {
  /// The type of the feed's items.
  associatedtype Item: Sendable

  /// Saves a feed; returns when it is stored.
  func save(_ feed: [Item]) async throws
}
