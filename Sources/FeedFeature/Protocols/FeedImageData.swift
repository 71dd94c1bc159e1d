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

/// Saves the bytes of images for the time when they cannot be loaded.
public protocol FeedImageDataCache: Sendable {
  /// Saves the bytes of the image at this URL; returns when they are stored.
  func save(_ data: Data, for url: URL) async throws
}

/// Stores the bytes of images by URL. It contains no other logic.
///
/// The module `FeedStoreContract` has the rules of a store, as checks for any implementation.
public protocol FeedImageDataStore: Sendable {
  /// Stores the bytes of the image at this URL, replacing earlier ones.
  func insert(_ data: Data, for url: URL) async throws

  /// The bytes last inserted for this URL, or nil if there are none.
  func retrieve(dataForURL url: URL) async throws -> Data?
}
