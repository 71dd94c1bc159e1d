/// Loads a feed: from a service, from a cache, or from a composition of both.
public protocol FeedLoader<Item>: Sendable {
  /// The type of the feed's items.
  associatedtype Item: Sendable

  /// The items of the feed, in its order.
  ///
  /// - Throws: why the feed could not be loaded; `CancellationError` if the task was cancelled.
  func load() async throws -> [Item]
}
