/// Saves each feed that a loader delivers.
///
/// The feed is delivered at once, and saved beside that: neither a slow cache nor one that fails
/// changes what is delivered or when. Feeds are saved one after another in the order in which they
/// were loaded. A load that fails saves nothing.
public struct FeedLoaderCacheDecorator<Item: Sendable>: FeedLoader {
  private let decoratee: any FeedLoader<Item>
  private let cache: any FeedCache<Item>
  private let saves: BackgroundSaves

  /// Makes a decorator.
  ///
  /// - Parameters:
  ///   - decoratee: what loads.
  ///   - cache: where the feed is saved.
  ///   - onSaveError: is told if that fails.
  public init(
    decoratee: some FeedLoader<Item>, cache: some FeedCache<Item>,
    onSaveError: @escaping @Sendable (any Error) -> Void = { _ in }
  ) {
    self.decoratee = decoratee
    self.cache = cache
    saves = BackgroundSaves(onError: onSaveError)
  }

  /// What the decorated loader delivers.
  public func load() async throws -> [Item] {
    let feed = try await decoratee.load()
    saves.add { [cache] in try await cache.save(feed) }
    return feed
  }

  /// Returns when every feed delivered so far is saved, or has failed to be; for a program that is
  /// about to end.
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
