/// Delivers a feed from memory, such as the items of a view or a preview.
public struct InMemoryFeedLoader<Item: Sendable>: FeedLoader {
  private let feed: [Item]

  /// Makes a loader for these items.
  public init(_ feed: [Item]) { self.feed = feed }

  public func load() -> [Item] { feed }
}
