#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Saves the bytes of images for the time when they cannot be loaded.
public protocol FeedImageDataCache: Sendable {
  /// Saves the bytes of the image at this URL; returns when they are stored.
  func save(_ data: Data, for url: URL) async throws
}
