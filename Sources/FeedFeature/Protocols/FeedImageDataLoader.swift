#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Loads the bytes of an image: from a service, from a cache, or from a composition of both.
public protocol FeedImageDataLoader: Sendable {
  /// The bytes of the image at this URL.
  ///
  /// - Throws: why the image could not be loaded; `CancellationError` if the task was cancelled.
  func loadImageData(from url: URL) async throws -> Data
}
