import FeedFeature

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension FeedStoreSpecs {
  var concurrencyRules: [ContractRule] {
    [
      rule("concurrent insertions leave one whole feed with its own timestamp") { store in
        try await withThrowingTaskGroup { group in
          for number in 0..<Self.versions {
            let version = version(number)
            group.addTask {
              try await store.insert(version.feed, timestamp: version.timestamp)
            }
          }
          try await group.waitForAll()
        }
        try requireVersion(try await store.retrieve(), mayBeMissing: false)
      },
      rule("a retrieval during insertions and deletions returns one whole feed or none") { store in
        try await withThrowingTaskGroup { group in
          for number in 0..<Self.versions {
            let version = version(number)
            group.addTask {
              try await store.insert(version.feed, timestamp: version.timestamp)
              if number.isMultiple(of: 3) { try await store.deleteCachedFeed() }
            }
            group.addTask {
              for _ in 0..<4 { try requireVersion(try await store.retrieve(), mayBeMissing: true) }
            }
          }
          try await group.waitForAll()
        }
      },
      rule("a retrieval after an insertion returns that feed or a later one") { store in
        for number in 0..<Self.versions {
          let version = version(number)
          try await store.deleteCachedFeed()
          try await store.insert(version.feed, timestamp: version.timestamp)
          try await requireCache(version.feed, version.timestamp, in: store)
        }
      },
    ]
  }

  private static var versions: Int { 24 }

  /// Feeds with different lengths, orders and timestamps, so that a mixture of two equals neither.
  private func version(_ number: Int) -> CachedFeed<Store.Item> {
    let items = (0..<number + 2).flatMap { $0.isMultiple(of: 2) ? feed : feed.reversed() }
    return CachedFeed(
      feed: items, timestamp: Date(timeIntervalSinceReferenceDate: Double(number) + 0.1))
  }

  private func requireVersion(
    _ cache: CachedFeed<Store.Item>?, mayBeMissing: Bool
  ) throws {
    guard let cache else { return try require(mayBeMissing, "it has no cache") }
    let isWhole = (0..<Self.versions).contains { version($0) == cache }
    try require(
      isWhole, "it has \(cache.feed.count) items and a timestamp that were not inserted together")
  }
}
