public import FeedFeature
public import FeedStorage
import Threading

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An image store as a `FeedImageDataStore`, for `LocalFeedImageDataLoader` and similar code.
///
/// It stores the data of any URL, even if no feed lists it, until the image is evicted or swept.
/// Calls of one store, or of its copies, take effect in the order in which they start.
public struct LMDBFeedImageDataStore: FeedImageDataStore {
  /// The images.
  public let images: ImageStore
  private let order = OrderedTasks()

  /// Creates a store for these images.
  public init(_ images: ImageStore) { self.images = images }

  /// Stores the bytes of an image, on a separate thread.
  ///
  /// - Throws: `StoreError`: `tooLarge`; `diskFull`.
  public func insert(_ data: Data, for url: URL) async throws {
    try await order.change { [images] in
      try await onWorkerThread { try images.insert(data, for: url) }
    }.value
  }

  /// Copies an image from the store; nil if there is none, or it has expired.
  public func retrieve(dataForURL url: URL) async throws -> Data? {
    try await order.read { [images] in
      // A comparison with a shared store blocks its thread.
      guard images.isStale(url.absoluteString) else {
        return try images.retrieve(dataForURL: url)
      }
      return try await onWorkerThread { try images.retrieve(dataForURL: url) }
    }.value
  }
}
