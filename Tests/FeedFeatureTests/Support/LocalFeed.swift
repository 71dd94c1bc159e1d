import FeedFeature
import Foundation

/// The clock of the tests stands here: noon, so that no calendar has a gap near.
let now = Date(timeIntervalSinceReferenceDate: 611_668_800)

/// The time so many days and seconds ago, by the calendar that the presets count in.
func ago(days: Int, seconds: TimeInterval = 0) -> Date {
  let calendar = Calendar(identifier: .gregorian)
  return (calendar.date(byAdding: .day, value: -days, to: now) ?? .distantPast) - seconds
}

/// A loader over a store that notes what it is asked.
struct LocalFeed<Item: Sendable & Equatable> {
  let store: StoreSpy<Item>
  let loader: LocalFeedLoader<StoreSpy<Item>>

  init(_ policy: CachePolicy, _ store: StoreSpy<Item>) {
    self.store = store
    loader = LocalFeedLoader(store: store, policy: policy, currentDate: { now })
  }

  init(_ policy: CachePolicy, _ feed: [Item], savedAt timestamp: Date) {
    self.init(policy, StoreSpy(CachedFeed(feed: feed, timestamp: timestamp)))
  }

  /// The service with this cache beside it, and the cache for when the service fails.
  func behind(_ remote: LoaderStub<Item>) -> Composition {
    let caching = remote.caching(in: loader)
    return Composition(caching: caching, whole: caching.fallback(to: loader))
  }

  struct Composition {
    let caching: FeedLoaderCacheDecorator<Item>
    let whole: FeedLoaderWithFallbackComposite<Item>

    /// What the customer sees, when all that belongs to it is done.
    func load() async throws -> [Item] {
      let feed = try await whole.load()
      await caching.waitForSaves()
      return feed
    }
  }
}
