import FeedFeature

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension FeedStoreSpecs {
  private var timestamp: Date { Date(timeIntervalSinceReferenceDate: 700_000_000.123_456_7) }
  private var later: Date { timestamp + 1 }

  var retrievalRules: [ContractRule] {
    [
      rule("an empty store has no cache, at every retrieval") { store in
        try await requireNoCache(in: store, "when new")
        try await requireNoCache(in: store, "at the second retrieval")
      },
      rule("every retrieval returns the feed that was inserted") { store in
        try await store.insert(feed, timestamp: timestamp)
        try await requireCache(feed, timestamp, in: store)
        try await requireCache(feed, timestamp, in: store, "at the second retrieval")
      },
      rule("items keep their order, and equal items their number") { store in
        let long = (0..<50).flatMap { $0.isMultiple(of: 2) ? feed : feed.reversed() }
        try await store.insert(long, timestamp: timestamp)
        try await requireCache(long, timestamp, in: store)
      },
      rule("a timestamp keeps all of its bits") { store in
        for timestamp in Self.awkwardTimestamps {
          try await store.insert(feed, timestamp: timestamp)
          try await requireCache(feed, timestamp, in: store)
        }
      },
      rule("an empty feed is a cache") { store in
        try await store.insert([], timestamp: timestamp)
        try await requireCache([], timestamp, in: store)
      },
    ]
  }

  /// Times that change in another epoch, in whole milliseconds, or as text.
  private static var awkwardTimestamps: [Date] {
    let ordinary = 700_000_000.0
    let seconds: [Double] = [
      0.1, 0, -0.0, ordinary.nextUp, ordinary.nextDown, -ordinary.nextUp, 1e-9, 123_456_789.987_654,
    ]
    return seconds.map { Date(timeIntervalSinceReferenceDate: $0) } + [
      .distantPast, .distantFuture,
    ]
  }

  var insertionRules: [ContractRule] {
    [
      rule("an insertion replaces the whole cache") { store in
        try await store.insert(feed, timestamp: timestamp)
        let newer = Array(feed.reversed().dropLast())
        try await store.insert(newer, timestamp: later)
        try await requireCache(newer, later, in: store, "after the second insertion")
      },
      rule("an insertion with an older timestamp replaces the cache, too") { store in
        try await store.insert(feed, timestamp: later)
        try await store.insert(feed, timestamp: timestamp)
        try await requireCache(feed, timestamp, in: store, "after the second insertion")
      },
      rule("a replacement replaces the cache, or is the first one") { store in
        try await store.replaceCachedFeed(with: feed.reversed(), timestamp: later)
        try await requireCache(feed.reversed(), later, in: store, "without a cache")
        try await store.replaceCachedFeed(with: feed, timestamp: timestamp)
        try await requireCache(feed, timestamp, in: store, "after the replacement")
      },
      rule("an empty feed replaces the cache") { store in
        try await store.insert(feed, timestamp: timestamp)
        try await store.insert([], timestamp: later)
        try await requireCache([], later, in: store, "after the empty insertion")
      },
    ]
  }

  var appendingRules: [ContractRule] {
    [
      rule("items appended to an empty store become its cache") { store in
        try await store.append(feed, timestamp: timestamp)
        try await requireCache(feed, timestamp, in: store, "after appending")
      },
      rule("appended items follow those of the cache, which gets their timestamp") { store in
        try await store.insert(feed, timestamp: timestamp)
        try await store.append(feed.reversed(), timestamp: later)
        try await requireCache(feed + feed.reversed(), later, in: store, "after appending")
      },
      rule("appending no items gives the cache their timestamp") { store in
        try await store.insert(feed, timestamp: timestamp)
        try await store.append([], timestamp: later)
        try await requireCache(feed, later, in: store, "after appending")
      },
    ]
  }

  var deletionRules: [ContractRule] {
    [
      rule("a deletion without a cache is not an error and changes nothing") { store in
        try await store.deleteCachedFeed()
        try await requireNoCache(in: store, "after the deletion")
      },
      rule("a deletion removes the cache") { store in
        try await store.insert(feed, timestamp: timestamp)
        try await store.deleteCachedFeed()
        try await requireNoCache(in: store, "after the deletion")
      },
      rule("a conditional deletion removes an invalid cache, and does nothing without one") {
        store in
        try await store.deleteCachedFeed(unless: { _ in false })
        try await requireNoCache(in: store, "after the deletion of nothing")
        try await store.insert(feed, timestamp: timestamp)
        try await store.deleteCachedFeed(unless: { _ in false })
        try await requireNoCache(in: store, "after the deletion")
      },
      rule("a deletion removes an empty cache") { store in
        try await store.insert([], timestamp: timestamp)
        try await store.deleteCachedFeed()
        try await requireNoCache(in: store, "after the deletion")
      },
      rule("a feed can be inserted after a deletion") { store in
        try await store.insert(feed, timestamp: timestamp)
        try await store.deleteCachedFeed()
        try await store.insert(feed, timestamp: later)
        try await requireCache(feed, later, in: store)
      },
      rule("stores at different locations are independent") { store in
        let other = try await makeStore()
        try await store.insert(feed, timestamp: timestamp)
        try await requireNoCache(in: other, "after an insertion into another one")
        try await other.deleteCachedFeed()
        try await requireCache(feed, timestamp, in: store, "after a deletion from another one")
      },
    ]
  }

  var persistenceRules: [ContractRule] {
    guard let reopen else { return [] }
    return [
      rule("a second store at the same location has the cache") { store in
        try await store.insert(feed, timestamp: timestamp)
        let second = try await reopen(store)
        try await requireCache(feed, timestamp, in: second, "when opened again")
      },
      rule("stores at the same location see each other's changes") { store in
        let second = try await reopen(store)
        try await store.insert(feed, timestamp: timestamp)
        try await requireCache(feed, timestamp, in: second, "after an insertion by the first")
        try await second.deleteCachedFeed()
        try await requireNoCache(in: store, "after a deletion by the second")
      },
    ]
  }
}
