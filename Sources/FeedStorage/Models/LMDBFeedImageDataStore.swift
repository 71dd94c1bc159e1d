public import FeedFeature
import Threading

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An image store as a `FeedImageDataStore`, for `LocalFeedImageDataLoader` and whatever else
/// works with one.
///
/// It keeps the data of any URL, whether or not a feed lists it, until the cap or a sweep takes it.
public struct LMDBFeedImageDataStore: FeedImageDataStore {
  /// The images.
  public let images: ImageStore

  /// Makes a store of these images.
  public init(_ images: ImageStore) { self.images = images }

  /// Keeps the bytes of an image; runs on a thread of its own.
  ///
  /// - Throws: ``StoreError``: `tooLarge`; `diskFull`.
  public func insert(_ data: Data, for url: URL) async throws {
    try await onWorkerThread { [images] in try images.insert(data, for: url) }
  }

  /// Copies an image out of the store; nil where there is none, or it has expired.
  @concurrent
  public func retrieve(dataForURL url: URL) async throws -> Data? {
    try images.retrieve(dataForURL: url)
  }
}
