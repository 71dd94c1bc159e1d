#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Loads an image from one loader, and from another if that fails: from the cache, else from the
/// service.
///
/// A load that was cancelled does not fall back.
public struct FeedImageDataLoaderWithFallbackComposite: FeedImageDataLoader {
  private let primary: any FeedImageDataLoader
  private let fallback: any FeedImageDataLoader
  private let onFailure: @Sendable (FallbackFailure) -> Void

  /// Makes a composition.
  ///
  /// - Parameters:
  ///   - primary: what is asked first.
  ///   - fallback: what is asked if that fails.
  ///   - onFailure: is told of each failure before the load goes on.
  public init(
    primary: some FeedImageDataLoader, fallback: some FeedImageDataLoader,
    onFailure: @escaping @Sendable (FallbackFailure) -> Void = { _ in }
  ) {
    self.primary = primary
    self.fallback = fallback
    self.onFailure = onFailure
  }

  /// The bytes that the primary loader delivers, else those of the fallback.
  ///
  /// - Throws: the fallback's error if both fail: that an image is not in the cache says nothing,
  ///   why it could not be fetched does. `CancellationError` if the task was cancelled.
  public func loadImageData(from url: URL) async throws -> Data {
    do {
      return try await primary.loadImageData(from: url)
    } catch {
      try Task.checkCancellation()
      onFailure(.primary(error))
    }
    do {
      return try await fallback.loadImageData(from: url)
    } catch {
      try Task.checkCancellation()
      onFailure(.fallback(error))
      throw error
    }
  }
}

extension FeedImageDataLoader {
  /// This loader, and another one for when it fails.
  ///
  /// - SeeAlso: ``FeedImageDataLoaderWithFallbackComposite``
  public func fallback(
    to fallback: some FeedImageDataLoader,
    onFailure: @escaping @Sendable (FallbackFailure) -> Void = { _ in }
  ) -> FeedImageDataLoaderWithFallbackComposite {
    FeedImageDataLoaderWithFallbackComposite(
      primary: self, fallback: fallback, onFailure: onFailure)
  }
}
