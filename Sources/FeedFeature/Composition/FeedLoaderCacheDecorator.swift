/// Saves each feed that a loader delivers.
///
/// The feed is delivered at once and saved in the background. A slow or failing cache does not
/// affect the delivery. Feeds are saved one after another in the order in which they were loaded. A
/// failed load saves nothing.
public struct FeedLoaderCacheDecorator<Item: Sendable>: FeedLoader {
  private let decoratee: any FeedLoader<Item>
  private let cache: any FeedCache<Item>
  private let saves: BackgroundSaves

  /// Makes a decorator.
  ///
  /// - Parameters:
  ///   - decoratee: loads the feed.
  ///   - cache: the cache that saves the feed.
  ///   - onSaveError: receives an error of saving.
  public init(
    decoratee: some FeedLoader<Item>, cache: some FeedCache<Item>,
    onSaveError: @escaping @Sendable (any Error) -> Void = { _ in }
  ) {
    self.decoratee = decoratee
    self.cache = cache
    saves = BackgroundSaves(onError: onSaveError)
  }

  /// Returns what the decorated loader delivers.
  public func load() async throws -> [Item] {
    let feed = try await decoratee.load()
    saves.add { [cache] in try await cache.save(feed) }
    return feed
  }

  /// Returns when saving has ended for every feed delivered so far; for a program that is about to
  /// end.
  public func waitForSaves() async { await saves.finish() }
}

extension FeedLoader {
  /// This loader, with each feed that it delivers saved in a cache.
  ///
  /// - SeeAlso: ``FeedLoaderCacheDecorator``
  public func caching(
    in cache: some FeedCache<Item>,
    onSaveError: @escaping @Sendable (any Error) -> Void = { _ in }
  ) -> FeedLoaderCacheDecorator<Item> {
    FeedLoaderCacheDecorator(decoratee: self, cache: cache, onSaveError: onSaveError)
  }
}
