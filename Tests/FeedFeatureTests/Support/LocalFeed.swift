import FeedFeature
import Foundation

/// The fixed time of the tests: noon, far from the gaps of any calendar.
let now = Date(timeIntervalSinceReferenceDate: 611_668_800)

/// A time some days and seconds ago, by the calendar of the presets.
func ago(days: Int, seconds: TimeInterval = 0) -> Date {
  let calendar = Calendar(identifier: .gregorian)
  return (calendar.date(byAdding: .day, value: -days, to: now) ?? .distantPast) - seconds
}

/// A loader over a store that records its calls.
struct LocalFeed<Item: Sendable & Equatable> {
  let store: StoreSpy<Item>
  let loader: LocalFeedLoader<Item>

  init(_ policy: CachePolicy, _ store: StoreSpy<Item>) {
    self.store = store
    loader = LocalFeedLoader(store: store, policy: policy, currentDate: { now })
  }

  init(_ policy: CachePolicy, _ feed: [Item], savedAt timestamp: Date) {
    self.init(policy, StoreSpy(CachedFeed(feed: feed, timestamp: timestamp)))
  }

  /// The service, with this cache for its feeds and as its fallback.
  func composed(with remote: LoaderStub<Item>) -> Composition {
    let caching = remote.caching(in: loader)
    return Composition(caching: caching, whole: caching.fallback(to: loader))
  }

  struct Composition {
    let caching: FeedLoaderCacheDecorator<Item>
    let whole: FeedLoaderWithFallbackComposite<Item>

    /// What the customer sees, after all saves have ended.
    func load() async throws -> [Item] {
      let feed = try await whole.load()
      await caching.waitForSaves()
      return feed
    }
  }
}
