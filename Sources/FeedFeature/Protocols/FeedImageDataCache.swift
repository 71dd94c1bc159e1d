#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Keeps the bytes of images for when they cannot be loaded.
public protocol FeedImageDataCache: Sendable {
  /// Saves the bytes of the image of this URL; returns when they are kept.
  func save(_ data: Data, for url: URL) async throws
}
