#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension FeedLoader {
  /// Loads the feed for those who call from callbacks.
  ///
  /// - Parameter completion: is called once with the feed or the error, or never if the task was
  ///   cancelled before; on a thread of the concurrency pool.
  /// - Returns: what gives the load up.
  @discardableResult
  public func load(
    completion: @escaping @Sendable (Result<[Item], any Error>) -> Void
  ) -> FeedLoaderTask {
    FeedLoaderTask({ try await load() }, completion: completion)
  }
}

extension FeedImageDataLoader {
  /// Loads an image for those who call from callbacks.
  ///
  /// - Parameters:
  ///   - url: where the image is.
  ///   - completion: is called once with the bytes or the error, or never if the task was cancelled
  ///     before; on a thread of the concurrency pool.
  /// - Returns: what gives the load up.
  @discardableResult
  public func loadImageData(
    from url: URL, completion: @escaping @Sendable (Result<Data, any Error>) -> Void
  ) -> FeedLoaderTask {
    FeedLoaderTask({ try await loadImageData(from: url) }, completion: completion)
  }
}

extension DetailLoader {
  /// Loads details for those who call from callbacks.
  ///
  /// - Parameters:
  ///   - key: what they are of.
  ///   - completion: is called once with the details or the error, or never if the task was
  ///     cancelled before; on a thread of the concurrency pool.
  /// - Returns: what gives the load up.
  @discardableResult
  public func loadDetail(
    for key: Key, completion: @escaping @Sendable (Result<Detail, any Error>) -> Void
  ) -> FeedLoaderTask {
    FeedLoaderTask({ try await loadDetail(for: key) }, completion: completion)
  }
}
