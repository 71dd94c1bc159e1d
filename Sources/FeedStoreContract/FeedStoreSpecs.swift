public import FeedFeature

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The contract of a feed store, as rules to verify against any implementation.
public struct FeedStoreSpecs<Store: FeedStore>: Sendable where Store.Item: Equatable {
  let feed: [Store.Item]
  let makeStore: @Sendable () async throws -> Store
  let reopen: (@Sendable (Store) async throws -> Store)?

  /// Makes the contract of a kind of store.
  ///
  /// - Parameters:
  ///   - feed: items to store: at least three, all different.
  ///   - makeStore: makes an empty store, a new one each time; rules use several at once.
  ///   - reopen: opens a second store at the location of the first, which is still in use. Nil for
  ///     a store that does not outlive the process; its rules are then omitted.
  public init(
    feed: [Store.Item], makeStore: @escaping @Sendable () async throws -> Store,
    reopen: (@Sendable (Store) async throws -> Store)? = nil
  ) {
    self.feed = feed
    self.makeStore = makeStore
    self.reopen = reopen
  }

  /// Every rule.
  public var rules: [ContractRule] {
    retrievalRules + insertionRules + appendingRules + deletionRules + concurrencyRules
      + persistenceRules
  }

  func rule(
    _ name: String, _ check: @escaping @Sendable (Store) async throws -> Void
  ) -> ContractRule {
    ContractRule(name) { [makeStore] in try await check(try await makeStore()) }
  }

  /// Fails a check unless the store has this feed, in this order, with a timestamp of exactly these
  /// bits.
  func requireCache(
    _ feed: [Store.Item], _ timestamp: Date, in store: some FeedStore<Store.Item>,
    _ moment: String = "after the insertion"
  ) async throws {
    guard let cache = try await store.retrieve() else {
      throw FailedCheck(message: "\(moment) it has no cache")
    }
    try require(
      cache.feed == feed,
      "\(moment) it has \(cache.feed.count) items, which are not the \(feed.count) inserted ones "
        + "in their order")
    try require(
      cache.timestamp.bits == timestamp.bits,
      "\(moment) the timestamp is \(cache.timestamp.bits) instead of \(timestamp.bits) "
        + "(bits of the seconds since the reference date)")
  }

  func requireNoCache(
    in store: some FeedStore<Store.Item>, _ moment: String
  ) async throws {
    let cache = try await store.retrieve()
    try require(cache == nil, "\(moment) it has a cache of \(cache?.feed.count ?? 0) items")
  }
}

extension Date {
  var bits: UInt64 { timeIntervalSinceReferenceDate.bitPattern }
}
