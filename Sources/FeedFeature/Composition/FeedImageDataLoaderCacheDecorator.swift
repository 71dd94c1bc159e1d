#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Saves each image that a loader delivers.
///
/// An image is delivered at once, and saved beside that: neither a slow cache nor one that fails
/// changes what is delivered or when. Images are saved one after another in the order in which
/// they were loaded, and are in memory until they are; for images by the thousand there is
/// ``FeedImageDataPrefetcher``. A load that fails saves nothing.
public struct FeedImageDataLoaderCacheDecorator: FeedImageDataLoader {
  private let decoratee: any FeedImageDataLoader
  private let cache: any FeedImageDataCache
  private let saves: BackgroundSaves

  /// Makes a decorator.
  ///
  /// - Parameters:
  ///   - decoratee: what loads.
  ///   - cache: where images are saved.
  ///   - onSaveError: is told if that fails.
  public init(
    decoratee: some FeedImageDataLoader, cache: some FeedImageDataCache,
    onSaveError: @escaping @Sendable (any Error) -> Void = { _ in }
  ) {
    self.decoratee = decoratee
    self.cache = cache
    saves = BackgroundSaves(onError: onSaveError)
  }

  /// What the decorated loader delivers.
  public func loadImageData(from url: URL) async throws -> Data {
    let data = try await decoratee.loadImageData(from: url)
    saves.add { [cache] in try await cache.save(data, for: url) }
    return data
  }

  /// Returns when every image delivered so far is saved, or has failed to be; for a program that
  /// is about to end.
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
