#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A place for the bytes of images, by URL. It has no logic of its own.
///
/// The module `FeedStoreContract` has the rules that a store keeps, as checks that may be run
/// against any implementation.
public protocol FeedImageDataStore: Sendable {
  /// Keeps the bytes of the image of this URL, in the place of those kept before.
  func insert(_ data: Data, for url: URL) async throws

  /// The bytes last inserted for this URL, or nil where there are none.
  func retrieve(dataForURL url: URL) async throws -> Data?
}
