import FeedAPI
public import FeedFeature
import FeedSchema
import FeedStorage

/// A ``FeedSource`` as a loader of Swift values: remote with cached fallback.
public struct FeedSourceLoader<Item: PayloadModel>: FeedLoader {
  /// The source of the feed.
  public let source: FeedSource
  private let onFallback: @Sendable (any Error) -> Void

  /// Makes a loader.
  ///
  /// - Parameters:
  ///   - source: a source of items of this kind.
  ///   - onFallback: receives why a cached feed is delivered, or why the latest one is not stored.
  public init(
    _ source: FeedSource, onFallback: @escaping @Sendable (any Error) -> Void = { _ in }
  ) {
    self.source = source
    self.onFallback = onFallback
  }

  /// The items of the latest feed if the service can be reached, else of the cached one. If the
  /// latest feed cannot be stored, it is delivered by another request.
  ///
  /// - Throws: as ``FeedSource/load(pages:)``.
  @concurrent
  public func load() async throws -> [Item] {
    do {
      let delivery = try await source.load()
      if let failure = delivery.failure { onFallback(failure) }
      return try source.database.existingFeed(named: source.name).records(of: Item.self)
    } catch let error as StoreError {
      onFallback(error)
      return try await RemoteFeedLoader<Item>(source.resource, dates: source.dates).load()
    }
  }
}
