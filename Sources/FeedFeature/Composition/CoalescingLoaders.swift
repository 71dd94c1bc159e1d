import Threading

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Combines loads that overlap in time into one request.
///
/// All callers receive the result of the request. A cancelled caller receives a `CancellationError`
/// at once and the others keep waiting. The request is cancelled only when all callers are. A load
/// that starts after the end of the request makes a new one.
public struct CoalescingFeedLoader<Item: Sendable>: FeedLoader {
  private struct Feed: Hashable, Sendable {}

  private let decoratee: any FeedLoader<Item>
  private let requests = SingleFlight<Feed, [Item]>()

  /// Makes a loader; its copies share their requests.
  public init(_ decoratee: some FeedLoader<Item>) { self.decoratee = decoratee }

  /// Returns what the decorated loader delivers.
  public func load() async throws -> [Item] {
    try await requests.value(for: Feed()) { [decoratee] in try await decoratee.load() }
  }
}

extension FeedLoader {
  /// This loader, with one request for all loads that overlap in time.
  ///
  /// - SeeAlso: ``CoalescingFeedLoader``
  public func coalescing() -> CoalescingFeedLoader<Item> { CoalescingFeedLoader(self) }
}

/// Combines loads of an image that overlap in time into one request.
///
/// All callers receive the result of the request. A cancelled caller receives a `CancellationError`
/// at once and the others keep waiting. The request is cancelled only when all callers are. A load
/// that starts after the end of the request makes a new one.
public struct CoalescingFeedImageDataLoader: FeedImageDataLoader {
  private let decoratee: any FeedImageDataLoader
  private let requests = SingleFlight<URL, Data>()

  /// Makes a loader; its copies share their requests.
  public init(_ decoratee: some FeedImageDataLoader) { self.decoratee = decoratee }

  /// Returns what the decorated loader delivers.
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
