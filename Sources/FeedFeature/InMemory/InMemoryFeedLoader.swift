/// Delivers a feed that is already here: the items that a view shows, or those of a preview.
public struct InMemoryFeedLoader<Item: Sendable>: FeedLoader {
  private let feed: [Item]

  /// Makes a loader of these items.
  public init(_ feed: [Item]) { self.feed = feed }

  public func load() -> [Item] { feed }
}
