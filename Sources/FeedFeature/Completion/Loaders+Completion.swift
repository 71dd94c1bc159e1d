#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension FeedLoader {
  /// Loads the feed for callback-based code.
  ///
  /// - Parameter completion: receives the feed or the error once, on a thread of the concurrency
  ///   pool. It is never called if the task was cancelled before.
  /// - Returns: a task that can cancel the load.
  @discardableResult
  public func load(
    completion: @escaping @Sendable (Result<[Item], any Error>) -> Void
  ) -> FeedLoaderTask {
    FeedLoaderTask({ try await load() }, completion: completion)
  }
}

extension FeedImageDataLoader {
  /// Loads an image for callback-based code.
  ///
  /// - Parameters:
  ///   - url: the URL of the image.
  ///   - completion: receives the bytes or the error once, on a thread of the concurrency pool. It
  ///     is never called if the task was cancelled before.
  /// - Returns: a task that can cancel the load.
  @discardableResult
  public func loadImageData(
    from url: URL, completion: @escaping @Sendable (Result<Data, any Error>) -> Void
  ) -> FeedLoaderTask {
    FeedLoaderTask({ try await loadImageData(from: url) }, completion: completion)
  }
}

extension DetailLoader {
  /// Loads details for callback-based code.
  ///
  /// - Parameters:
  ///   - key: the key of the item.
  ///   - completion: receives the details or the error once, on a thread of the concurrency pool.
  ///     It is never called if the task was cancelled before.
  /// - Returns: a task that can cancel the load.
  @discardableResult
  public func loadDetail(
    for key: Key, completion: @escaping @Sendable (Result<Detail, any Error>) -> Void
  ) -> FeedLoaderTask {
    FeedLoaderTask({ try await loadDetail(for: key) }, completion: completion)
  }
}
