#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Loads the bytes of an image: from a service, from a cache, or from a composition of both.
public protocol FeedImageDataLoader: Sendable {
  /// The bytes of the image of this URL.
  ///
  /// - Throws: what kept the image from being loaded; `CancellationError` where the task was
  ///   cancelled.
  func loadImageData(from url: URL) async throws -> Data
}
