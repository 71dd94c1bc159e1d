#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An image store that lives as long as the process, for previews and tests. It is unbounded:
/// inserted images stay.
public actor InMemoryImageDataStore: FeedImageDataStore {
  private var images: [URL: Data]

  /// Makes a store, optionally with images.
  public init(_ images: [URL: Data] = [:]) { self.images = images }

  public func insert(_ data: Data, for url: URL) { images[url] = data }

  public func retrieve(dataForURL url: URL) -> Data? { images[url] }
}
