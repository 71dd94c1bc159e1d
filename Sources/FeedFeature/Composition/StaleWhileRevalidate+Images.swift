#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension StaleWhileRevalidate<Data> {
  /// The cached image at this URL, then the loaded one.
  public init(
    imageAt url: URL, cached: some FeedImageDataLoader, fresh: some FeedImageDataLoader
  ) {
    self.init(
      cached: { try await cached.loadImageData(from: url) },
      fresh: { try await fresh.loadImageData(from: url) })
  }
}
