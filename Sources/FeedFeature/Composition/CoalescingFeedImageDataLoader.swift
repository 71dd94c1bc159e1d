#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Makes one request of all loads of an image that overlap in time.
///
/// Each of the callers gets what the one request delivers. A caller that is cancelled gets a
/// `CancellationError` at once and the others go on waiting; only when all of them are cancelled is
/// the request. A load that starts when the request has ended makes a new one.
public struct CoalescingFeedImageDataLoader: FeedImageDataLoader {
  private let decoratee: any FeedImageDataLoader
  private let requests = RequestCoalescer<URL, Data>()

  /// Makes a loader; its copies share their requests.
  public init(_ decoratee: some FeedImageDataLoader) { self.decoratee = decoratee }

  /// What the decorated loader delivers.
  public func loadImageData(from url: URL) async throws -> Data {
    try await requests.value(for: url) { [decoratee] in
      try await decoratee.loadImageData(from: url)
    }
  }
}

extension FeedImageDataLoader {
  /// This loader, with one request for all loads of an image that overlap in time.
  ///
  /// - SeeAlso: ``CoalescingFeedImageDataLoader``
  public func coalescing() -> CoalescingFeedImageDataLoader { CoalescingFeedImageDataLoader(self) }
}
