import Synchronization

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

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

/// Saves each image that a loader delivers.
///
/// An image is delivered at once and saved in the background. A slow or failing cache does not
/// affect the delivery. Images are saved one after another in the order in which they were loaded,
/// and stay in memory until then. For thousands of images, use ``FeedImageDataPrefetcher``. A
/// failed load saves nothing.
public struct FeedImageDataLoaderCacheDecorator: FeedImageDataLoader {
  private let decoratee: any FeedImageDataLoader
  private let cache: any FeedImageDataCache
  private let saves: BackgroundSaves

  /// Makes a decorator.
  ///
  /// - Parameters:
  ///   - decoratee: loads the images.
  ///   - cache: the cache that saves the images.
  ///   - onSaveError: receives an error of saving.
  public init(
    decoratee: some FeedImageDataLoader, cache: some FeedImageDataCache,
    onSaveError: @escaping @Sendable (any Error) -> Void = { _ in }
  ) {
    self.decoratee = decoratee
    self.cache = cache
    saves = BackgroundSaves(onError: onSaveError)
  }

  /// Returns what the decorated loader delivers.
  public func loadImageData(from url: URL) async throws -> Data {
    let data = try await decoratee.loadImageData(from: url)
    saves.add { [cache] in try await cache.save(data, for: url) }
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
    in cache: some FeedImageDataCache,
    onSaveError: @escaping @Sendable (any Error) -> Void = { _ in }
  ) -> FeedImageDataLoaderCacheDecorator {
    FeedImageDataLoaderCacheDecorator(decoratee: self, cache: cache, onSaveError: onSaveError)
  }
}

/// Runs saves in the background, one after another in the order of the loads that caused them. The
/// feed delivered last is then the one that is stored.
final class BackgroundSaves: Sendable {
  private let last = Mutex<Task<Void, Never>?>(nil)
  private let onError: @Sendable (any Error) -> Void

  init(onError: @escaping @Sendable (any Error) -> Void) { self.onError = onError }

  func add(_ save: @escaping @Sendable () async throws -> Void) {
    last.withLock { last in
      last = Task { [previous = last, onError] in
        await previous?.value
        do { try await save() } catch { onError(error) }
      }
    }
  }

  /// Returns when all added saves are done.
  func finish() async {
    let last = last.withLock { $0 }
    await last?.value
  }
}
