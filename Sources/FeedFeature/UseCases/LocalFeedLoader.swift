import Threading

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Loads a feed from a store, saves one there, and deletes one that is no longer valid, according
/// to a ``CachePolicy``.
///
/// Saves, validations, and loads that may delete run one after another. A validation therefore
/// never deletes what was saved meanwhile. This holds for one loader and its copies. For two
/// loaders of one store, and for other writers, it depends on the store
/// (``FeedStore/deleteCachedFeed(unless:)``).
public struct LocalFeedLoader<Item: Sendable>: FeedLoader, FeedCache {
  /// The policy that the loader applies.
  public let policy: CachePolicy

  private let store: any FeedStore<Item>
  private let currentDate: @Sendable () -> Date
  /// One change at a time. The wait is not cancelled: earlier changes are short.
  private let changes = AsyncSemaphore(1)

  /// Makes a loader.
  ///
  /// - Parameters:
  ///   - store: the store of the cached feed; also one whose type is `any FeedStore<Item>`.
  ///   - policy: decides whether a cached feed is valid, and how it is handled.
  ///   - currentDate: the clock; it is read once for each load, save and validation.
  public init(
    store: some FeedStore<Item>, policy: CachePolicy = .essential,
    currentDate: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.store = store
    self.policy = policy
    self.currentDate = currentDate
  }

  /// The cached feed if it is valid; else no items, or an error if the policy requires one (all
  /// documents, "Load Feed From Cache Use Case").
  ///
  /// Nothing is changed unless the policy deletes on loading (``CachePolicy/feed2020``).
  ///
  /// - Throws: the store's error if it cannot be retrieved; ``LocalFeedError`` under
  ///   ``CachePolicy/EmptyCache/error``; `CancellationError` if the task was cancelled.
  public func load() async throws -> [Item] {
    if policy.onExpired == .keep, policy.onRetrievalError == .keep {
      return try await deliverCache()
    }
    return try await changes.withPermit { try await deliverCache() }
  }

  private func deliverCache() async throws -> [Item] {
    let cache: CachedFeed<Item>?
    do {
      cache = try await store.retrieve()
    } catch {
      // If the load was cancelled, the error does not mean that the cache cannot be read.
      try Task.checkCancellation()
      if policy.onRetrievalError == .delete { try? await deleteCache(at: currentDate()) }
      throw error
    }
    try Task.checkCancellation()
    guard let cache else { return try nothing(because: .empty) }
    let now = currentDate()
    guard policy.isValid(cache.timestamp, at: now) else {
      if policy.onExpired == .delete { try? await deleteCache(at: now) }
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

  /// Saves a feed with the present timestamp ("Cache Feed Use Case").
  ///
  /// Under ``CachePolicy/Writing/replace`` the feed replaces the old cache, in one step if the
  /// store can do that (``FeedStore/replaceCachedFeed(with:timestamp:)``). Otherwise the old cache
  /// is deleted first. If that fails, nothing is inserted; if the insertion fails, the old cache is
  /// gone. Under ``CachePolicy/Writing/append`` the feed is appended to the cache and nothing is
  /// deleted (Rick and Morty App, "Save Feed Items Use Case").
  ///
  /// - Throws: the store's error.
  public func save(_ feed: [Item]) async throws {
    try await changes.withPermit {
      switch policy.write {
      case .replace:
        try await store.replaceCachedFeed(with: feed, timestamp: currentDate())
      case .append:
        try await store.append(feed, timestamp: currentDate())
      }
    }
  }

  /// Saves a page of a feed after all earlier changes, if `isWanted` then returns true.
  ///
  /// - Parameters:
  ///   - page: the items that are appended to the cache under ``CachePolicy/Writing/append``,
  ///     except those that it already has, whether or not it is valid.
  ///   - items: the page and those before it, which replace the cache under
  ///     ``CachePolicy/Writing/replace``.
  func save(
    page: [Item], of items: [Item], if isWanted: () -> Bool
  ) async throws where Item: Hashable {
    try await changes.withPermit {
      guard isWanted() else { return }
      switch policy.write {
      case .replace:
        try await store.replaceCachedFeed(with: items, timestamp: currentDate())
      case .append:
        let cached = try await store.retrieve()?.feed ?? []
        try await store.append(page.missing(in: cached), timestamp: currentDate())
      }
    }
  }

  /// Deletes the cache if it has expired or cannot be retrieved ("Validate Feed Cache Use Case"). A
  /// missing or valid cache is unchanged.
  ///
  /// - Throws: the store's error if it cannot be deleted; `CancellationError` if the task was
  ///   cancelled before the cache was found to be invalid.
  public func validateCache() async throws {
    try await changes.withPermit {
      let now = currentDate()
      guard try await isToBeDeleted(at: now) else { return }
      try await deleteCache(at: now)
    }
  }

  private func isToBeDeleted(at now: Date) async throws -> Bool {
    let cache: CachedFeed<Item>?
    do {
      cache = try await store.retrieve()
    } catch {
      try Task.checkCancellation()
      return true
    }
    guard let cache else { return false }
    return !policy.isValid(cache.timestamp, at: now)
  }

  private func deleteCache(at now: Date) async throws {
    try await store.deleteCachedFeed { [policy] in policy.isValid($0, at: now) }
  }
}

extension Array where Element: Hashable {
  /// The elements that are not among others, without duplicates.
  func missing(in others: [Element]) -> [Element] {
    var known = Set(others)
    return filter { known.insert($0).inserted }
  }
}

/// Why a cache has no feed to deliver, if its policy makes that an error
/// (``CachePolicy/EmptyCache/error``).
public enum LocalFeedError: Error, Hashable, CustomStringConvertible {
  /// No feed was saved, or it was deleted.
  case empty
  /// The saved feed has expired.
  case expired

  public var description: String {
    switch self {
    case .empty: "There is no cached feed: load it once while its service can be reached."
    case .expired: "The cached feed is too old: load it again while its service can be reached."
    }
  }
}
