import Threading

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// When a caching decorator saves what it delivers.
public enum CacheSaving: Sendable, Hashable {
  /// Before the delivery: once a load has returned, its result is in the cache, or the cache has
  /// failed.
  case beforeDelivery
  /// After the delivery, so that a slow cache does not delay it. `waitForSaves()` of the decorator
  /// returns when all saves have ended.
  case inBackground
}

/// Saves each feed that a loader delivers.
///
/// A failing cache does not affect the delivery. Feeds are saved one after another in the order in
/// which they were loaded. A save that has begun is not cancelled with its load. A failed load
/// saves nothing.
public struct FeedLoaderCacheDecorator<Item: Sendable>: FeedLoader {
  private let decoratee: any FeedLoader<Item>
  private let cache: any FeedCache<Item>
  private let saves: CacheSaves

  /// Makes a decorator.
  ///
  /// - Parameters:
  ///   - decoratee: loads the feed.
  ///   - cache: the cache that saves the feed.
  ///   - saving: when it is saved.
  ///   - onSaveError: receives an error of saving.
  public init(
    decoratee: some FeedLoader<Item>, cache: some FeedCache<Item>,
    saving: CacheSaving = .beforeDelivery,
    onSaveError: @escaping @Sendable (any Error) -> Void = { _ in }
  ) {
    self.decoratee = decoratee
    self.cache = cache
    saves = CacheSaves(saving, onError: onSaveError)
  }

  /// Returns what the decorated loader delivers.
  public func load() async throws -> [Item] {
    let feed = try await decoratee.load()
    await saves.add { [cache] in try await cache.save(feed) }
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
    in cache: some FeedCache<Item>, saving: CacheSaving = .beforeDelivery,
    onSaveError: @escaping @Sendable (any Error) -> Void = { _ in }
  ) -> FeedLoaderCacheDecorator<Item> {
    FeedLoaderCacheDecorator(
      decoratee: self, cache: cache, saving: saving, onSaveError: onSaveError)
  }
}

/// Saves each image that a loader delivers.
///
/// A failing cache does not affect the delivery. Images are saved one after another in the order in
/// which they were loaded, and stay in memory until then. For thousands of images, use
/// ``FeedImageDataPrefetcher``. A save that has begun is not cancelled with its load. A failed load
/// saves nothing.
public struct FeedImageDataLoaderCacheDecorator: FeedImageDataLoader {
  private let decoratee: any FeedImageDataLoader
  private let cache: any FeedImageDataCache
  private let saves: CacheSaves

  /// Makes a decorator.
  ///
  /// - Parameters:
  ///   - decoratee: loads the images.
  ///   - cache: the cache that saves the images.
  ///   - saving: when it is saved.
  ///   - onSaveError: receives an error of saving.
  public init(
    decoratee: some FeedImageDataLoader, cache: some FeedImageDataCache,
    saving: CacheSaving = .beforeDelivery,
    onSaveError: @escaping @Sendable (any Error) -> Void = { _ in }
  ) {
    self.decoratee = decoratee
    self.cache = cache
    saves = CacheSaves(saving, onError: onSaveError)
  }

  /// Returns what the decorated loader delivers.
  public func loadImageData(from url: URL) async throws -> Data {
    let data = try await decoratee.loadImageData(from: url)
    await saves.add { [cache] in try await cache.save(data, for: url) }
    return data
  }

  /// Returns when saving has ended for every image delivered so far; for a program that is about to
  /// end.
  public func waitForSaves() async { await saves.finish() }
}

extension FeedImageDataLoader {
  /// This loader, with each image that it delivers saved in a cache.
  ///
  /// - SeeAlso: ``FeedImageDataLoaderCacheDecorator``
  public func caching(
    in cache: some FeedImageDataCache, saving: CacheSaving = .beforeDelivery,
    onSaveError: @escaping @Sendable (any Error) -> Void = { _ in }
  ) -> FeedImageDataLoaderCacheDecorator {
    FeedImageDataLoaderCacheDecorator(
      decoratee: self, cache: cache, saving: saving, onSaveError: onSaveError)
  }
}

/// The saves of one decorator, in the order of the loads that caused them. The feed delivered last
/// is then the one that is stored.
private struct CacheSaves: Sendable {
  private let tasks = OrderedTasks()
  private let saving: CacheSaving
  private let onError: @Sendable (any Error) -> Void

  init(_ saving: CacheSaving, onError: @escaping @Sendable (any Error) -> Void) {
    self.saving = saving
    self.onError = onError
  }

  /// Adds a save. With ``CacheSaving/beforeDelivery``, returns when the save has ended.
  func add(_ save: @escaping @Sendable () async throws -> Void) async {
    let task = tasks.change { [onError] in
      do { try await save() } catch { onError(error) }
    }
    if saving == .beforeDelivery { _ = await task.result }
  }

  /// Returns when all added saves are done.
  func finish() async { await tasks.waitUntilIdle() }
}
