import FeedAPI
public import FeedFeature
public import FeedPayloads
import FeedStorage

/// A ``FeedSource`` as a loader of Swift values: remote with cached fallback.
public struct FeedSourceLoader<Item: PayloadModel>: FeedLoader {
  /// Where the feed comes from and is kept.
  public let source: FeedSource
  private let onFallback: @Sendable (any Error) -> Void

  /// Makes a loader.
  ///
  /// - Parameters:
  ///   - source: a source of items of this kind.
  ///   - onFallback: learns why a cached feed is delivered, or why the latest one is not kept.
  public init(
    _ source: FeedSource, onFallback: @escaping @Sendable (any Error) -> Void = { _ in }
  ) {
    self.source = source
    self.onFallback = onFallback
  }

  /// The items of the latest feed where there is connectivity, else of the cached one. A latest
  /// feed that cannot be kept is delivered all the same, by a request of its own.
  ///
  /// - Throws: as ``FeedSource/load()``.
  @concurrent
  public func load() async throws -> [Item] {
    do {
      let delivery = try await source.load()
      if let failure = delivery.failure { onFallback(failure) }
      return try source.database.records(of: Item.self, in: source.name)
    } catch let error as StoreError {
      onFallback(error)
      return try await RemoteFeedLoader<Item>(source.resource, dates: source.policy.dates).load()
    }
  }
}
