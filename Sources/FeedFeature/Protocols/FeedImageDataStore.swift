#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Stores the bytes of images by URL. It contains no other logic.
///
/// The module `FeedStoreContract` has the rules of a store, as checks for any implementation.
public protocol FeedImageDataStore: Sendable {
  /// Stores the bytes of the image at this URL, replacing earlier ones.
  func insert(_ data: Data, for url: URL) async throws

  /// The bytes last inserted for this URL, or nil if there are none.
  func retrieve(dataForURL url: URL) async throws -> Data?
}
