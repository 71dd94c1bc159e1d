public import FeedFeature

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The contract of a failing feed store, as rules to verify against any implementation that can be
/// made to fail: by a damaged file, a location that is not writable, a full disk.
public struct FailableFeedStoreSpecs<Store: FeedStore>: Sendable where Store.Item: Equatable {
  /// Makes a store in a certain state, a new one each time.
  public typealias StoreMaker = @Sendable () async throws -> Store

  private let feed: [Store.Item]
  private let failingToRetrieve: StoreMaker?
  private let failingToInsert: StoreMaker?
  private let failingToDelete: StoreMaker?

  /// Makes the contract of a kind of store. Failures that cannot be caused are nil.
  ///
  /// - Parameters:
  ///   - feed: items to store.
  ///   - failingToRetrieve: makes a store that has a cache and cannot read it.
  ///   - failingToInsert: makes a store that cannot insert the feed; its cache can be read.
  ///   - failingToDelete: makes a store that cannot delete its cache; the cache can be read.
  public init(
    feed: [Store.Item], failingToRetrieve: StoreMaker? = nil, failingToInsert: StoreMaker? = nil,
    failingToDelete: StoreMaker? = nil
  ) {
    self.feed = feed
    self.failingToRetrieve = failingToRetrieve
    self.failingToInsert = failingToInsert
    self.failingToDelete = failingToDelete
  }

  /// Every rule with a store to check.
  public var rules: [ContractRule] {
    let rules = [
      failingToRetrieve.map { makeStore in
        ContractRule("a cache that cannot be read is an error at every retrieval") {
          let store = try await makeStore()
          try await requireError("retrieving") { _ = try await store.retrieve() }
          try await requireError("retrieving again") { _ = try await store.retrieve() }
        }
      },
      failingToInsert.map { makeStore in
        ContractRule("a failed insertion is an error and leaves the cache unchanged") {
          let store = try await makeStore()
          try await requireUnchanged(store) {
            try await requireError("inserting") {
              try await store.insert(feed, timestamp: Date(timeIntervalSinceReferenceDate: 0.1))
            }
          }
        }
      },
      failingToDelete.map { makeStore in
        ContractRule("a failed deletion is an error and leaves the cache unchanged") {
          let store = try await makeStore()
          try await requireUnchanged(store) {
            try await requireError("deleting") { try await store.deleteCachedFeed() }
          }
        }
      },
    ]
    return rules.compactMap { $0 }
  }

  private func requireError(
    _ action: String, _ work: () async throws -> Void
  ) async throws {
    do {
      try await work()
    } catch {
      return
    }
    throw FailedCheck(message: "\(action) throws no error")
  }

  private func requireUnchanged(
    _ store: Store, _ work: () async throws -> Void
  ) async throws {
    let before = try await store.retrieve()
    try await work()
    let after = try await store.retrieve()
    try require(before == after, "its cache has changed")
  }
}
