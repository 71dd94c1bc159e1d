#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Loads a feed from a store, saves one there, and deletes one that is no longer valid, as a
/// ``CachePolicy`` says.
///
/// Saving, validating and a loading that deletes follow one another: of two at once, one is done
/// before the other begins, so that a validation never deletes what was saved meanwhile. This
/// holds for one loader and its copies, not for two loaders of the same store.
public struct LocalFeedLoader<Store: FeedStore>: FeedLoader, FeedCache {
  /// What the feed is a list of.
  public typealias Item = Store.Item

  /// What the loader follows.
  public let policy: CachePolicy

  private let store: Store
  private let currentDate: @Sendable () -> Date
  private let changes = SerialGate()

  /// Makes a loader.
  ///
  /// - Parameters:
  ///   - store: where the feed is cached.
  ///   - policy: what a cached feed is worth, and what becomes of it.
  ///   - currentDate: the clock; it is asked once for each load, save and validation.
  public init(
    store: Store, policy: CachePolicy = .essential,
    currentDate: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.store = store
    self.policy = policy
    self.currentDate = currentDate
  }

  /// The cached feed if it is valid; no items, or an error if the policy wants one, if there is
  /// none or it has expired (all documents, "Load Feed From Cache Use Case").
  ///
  /// Nothing is changed unless the policy deletes on loading (``CachePolicy/feed2020``).
  ///
  /// - Throws: the store's error if it cannot be retrieved; ``LocalFeedError`` under
  ///   ``CachePolicy/EmptyCache/error``; `CancellationError` if the task was cancelled.
  public func load() async throws -> [Item] {
    if policy.onExpired == .keep, policy.onRetrievalError == .keep {
      return try await deliverCache()
    }
    return try await changes.run { try await deliverCache() }
  }

  private func deliverCache() async throws -> [Item] {
    let cache: CachedFeed<Item>?
    do {
      cache = try await store.retrieve()
    } catch {
      // Nobody waits for the result any more, and an interrupted reading says nothing of the cache.
      try Task.checkCancellation()
      if policy.onRetrievalError == .delete { try? await store.deleteCachedFeed() }
      throw error
    }
    try Task.checkCancellation()
    guard let cache else { return try nothing(because: .empty) }
    guard policy.isValid(cache.timestamp, at: currentDate()) else {
      if policy.onExpired == .delete { try? await store.deleteCachedFeed() }
      return try nothing(because: .expired)
    }
    return cache.feed
  }

  private func nothing(because reason: LocalFeedError) throws -> [Item] {
    switch policy.emptyCache {
    case .noItems: return []
    case .error: throw reason
    }
  }

  /// Saves a feed under the present time ("Cache Feed Use Case").
  ///
  /// Under ``CachePolicy/Writing/replace`` the old cache is deleted first. If that fails nothing is
  /// inserted; if the insertion fails the old cache is gone. Under
  /// ``CachePolicy/Writing/append`` the feed is added to the cache and nothing is deleted (Rick and
  /// Morty App, "Save Feed Items Use Case").
  ///
  /// - Throws: the store's error.
  public func save(_ feed: [Item]) async throws {
    try await changes.run {
      switch policy.write {
      case .replace:
        try await store.deleteCachedFeed()
        try await store.insert(feed, timestamp: currentDate())
      case .append:
        try await store.append(feed, timestamp: currentDate())
      }
    }
  }

  /// Deletes the cache if it has expired or cannot be retrieved ("Validate Feed Cache Use Case").
  /// No cache, and one that is valid, stay as they are.
  ///
  /// - Throws: the store's error if it cannot be deleted; `CancellationError` if the task was
  ///   cancelled before the cache was known to be invalid.
  public func validateCache() async throws {
    try await changes.run {
      guard try await isToBeDeleted() else { return }
      try await store.deleteCachedFeed()
    }
  }

  private func isToBeDeleted() async throws -> Bool {
    let cache: CachedFeed<Item>?
    do {
      cache = try await store.retrieve()
    } catch {
      try Task.checkCancellation()
      return true
    }
    guard let cache else { return false }
    return !policy.isValid(cache.timestamp, at: currentDate())
  }
}
