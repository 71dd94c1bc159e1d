public import FeedFeature
public import FeedPayloads
import Threading

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A feed of a database as a store of Swift values, for `LocalFeedLoader` and whatever else works
/// with a `FeedStore`.
///
/// Several stores of one feed, in one process or many, see each other's changes at once. A change
/// waits for one that is under way; it runs on a thread of its own and blocks nobody else's.
public struct LMDBFeedStore<Item: EncodablePayloadModel>: FeedStore {
  /// The database.
  public let database: FeedDatabase
  /// The feed.
  public let name: FeedName

  /// Makes a store of one feed, which need not exist.
  public init(_ database: FeedDatabase, feed name: FeedName) {
    self.database = database
    self.name = name
  }

  /// The feed as it was published last, all of it copied; nil where there is none.
  ///
  /// - Throws: ``StoreError``: `invalidKind` where the feed's records are others than the item's;
  ///   `damaged`.
  @concurrent
  public func retrieve() async throws -> CachedFeed<Item>? { try cachedFeed() }

  private func cachedFeed() throws(StoreError) -> CachedFeed<Item>? {
    var items: [Item] = []
    do throws(StoreError) {
      let feed = try database.forEach(Item.self, in: name) { (item) throws(StoreError) in
        items.append(item)
        return true
      }
      return CachedFeed(
        feed: items, timestamp: Date(timeIntervalSinceReferenceDate: feed.referenceSeconds))
    } catch {
      guard error.code == .notFound else { throw error }
      return nil
    }
  }

  /// Publishes the items as the whole feed.
  public func insert(_ feed: [Item], timestamp: Date) async throws {
    try await put(feed, timestamp, appends: false)
  }

  /// Publishes the feed with the items behind those it has.
  public func append(_ feed: [Item], timestamp: Date) async throws {
    try await put(feed, timestamp, appends: true)
  }

  /// Removes the feed. Scans that are under way read on to its end.
  public func deleteCachedFeed() async throws {
    try await onWorkerThread { [database, name] in
      _ = try database.delete(name, waits: true)
    }
  }

  /// Publishes the items as the whole feed; until then, and where that fails, the feed is what it
  /// was.
  public func replaceCachedFeed(with feed: [Item], timestamp: Date) async throws {
    try await insert(feed, timestamp: timestamp)
  }

  /// Removes the feed if it has expired or cannot be read once nobody else changes it: what was
  /// published while this waited stays.
  public func deleteCachedFeed(unless isValid: @escaping @Sendable (Date) -> Bool) async throws {
    try await onWorkerThread { [self] in
      let unreadable = try unreadableGeneration(isValid)
      try database.delete(name, waits: true) {
        $0.generation != unreadable && isValid($0.timestamp)
      }
    }
  }

  /// The generation of a feed whose timestamp is valid and whose records are damaged, or are others
  /// than the item's by now.
  ///
  /// - Throws: what says nothing of the feed, such as a failing disk: it is no reason to delete
  private func unreadableGeneration(
    _ isValid: (Date) -> Bool
  ) throws(StoreError) -> UInt64? {
    var generation: UInt64?
    do throws(StoreError) {
      guard let feed = try database.feed(named: name), isValid(feed.timestamp) else { return nil }
      generation = feed.generation
      try database.forEach(Item.self, in: name) { _ in true }
      return nil
    } catch {
      switch error.code {
      case .damaged, .invalidKind: return generation
      case .notFound: return nil
      default: throw error
      }
    }
  }

  private func put(_ feed: [Item], _ timestamp: Date, appends: Bool) async throws {
    let seconds = timestamp.timeIntervalSinceReferenceDate
    try await onWorkerThread { [database, name] in
      _ = try database.insert(
        feed, into: name, referenceSeconds: seconds, appends: appends, waits: true)
    }
  }
}
