/// Loads a feed: from a service, from a cache, or from a composition of both.
public protocol FeedLoader<Item>: Sendable {
  /// What the feed is a list of.
  associatedtype Item: Sendable

  /// The items of the feed, in its order.
  ///
  /// - Throws: what kept the feed from being loaded; `CancellationError` where the task was
  ///   cancelled.
  func load() async throws -> [Item]
}
