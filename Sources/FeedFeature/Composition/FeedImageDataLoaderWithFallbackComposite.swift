#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Loads an image from one loader, and from another if that fails: from the cache, else from the
/// service.
///
/// A cancelled load does not use the fallback.
public struct FeedImageDataLoaderWithFallbackComposite: FeedImageDataLoader {
  private let primary: any FeedImageDataLoader
  private let fallback: any FeedImageDataLoader
  private let onFailure: @Sendable (FallbackFailure) -> Void

  /// Makes a composition.
  ///
  /// - Parameters:
  ///   - primary: the loader that is tried first.
  ///   - fallback: the loader that is tried if the primary fails.
  ///   - onFailure: receives each failure before the load continues.
  public init(
    primary: some FeedImageDataLoader, fallback: some FeedImageDataLoader,
    onFailure: @escaping @Sendable (FallbackFailure) -> Void = { _ in }
  ) {
    self.primary = primary
    self.fallback = fallback
    self.onFailure = onFailure
  }

  /// The bytes from the primary loader, else from the fallback.
  ///
  /// - Throws: the fallback's error if both fail. It explains why the image could not be fetched,
  ///   while the primary's only states that the cache lacks it. `CancellationError` if the task was
  ///   cancelled.
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
  /// This loader, with a fallback for failures.
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
