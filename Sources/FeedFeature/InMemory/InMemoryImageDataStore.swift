#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An image store that lives as long as the process, for previews and tests. It has no bound: what
/// is inserted stays.
public actor InMemoryImageDataStore: FeedImageDataStore {
  private var images: [URL: Data]

  /// Makes a store, which may have images from the start.
  public init(_ images: [URL: Data] = [:]) { self.images = images }

  public func insert(_ data: Data, for url: URL) { images[url] = data }

  public func retrieve(dataForURL url: URL) -> Data? { images[url] }
}
