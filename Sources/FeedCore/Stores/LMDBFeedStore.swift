public import FeedAPI
public import FeedFeature
public import FeedStorage
import Threading

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A feed of a database as a store of Swift values, for `LocalFeedLoader` and other users of a
/// `FeedStore`.
///
/// Calls of one store, or of its copies, take effect in the order in which they start: a call waits
/// for earlier changes, and a change also waits for earlier retrievals. Several stores of one feed,
/// in one process or many, see each other's changes at once. A change waits for the current one. It
/// runs on a separate thread and does not block other threads.
public struct LMDBFeedStore<Item: EncodablePayloadModel>: FeedStore {
  /// The database.
  public let database: FeedDatabase
  /// The feed.
  public let name: FeedName
  private let order = OrderedTasks()

  /// Creates a store of one feed, which need not exist.
  public init(_ database: FeedDatabase, feed name: FeedName) {
    self.database = database
    self.name = name
  }

  /// A copy of the last published feed; nil if there is none.
  ///
  /// - Throws: `StoreError`: `invalidKind` if the feed's records do not match the item;
  ///   `damaged`.
  public func retrieve() async throws -> CachedFeed<Item>? {
    try await order.read { [self] in try cachedFeed() }.value
  }

  private func cachedFeed() throws(StoreError) -> CachedFeed<Item>? {
    try database.refresh(name)
    guard let feed = try database.feed(named: name) else { return nil }
    return CachedFeed(
      feed: try feed.records(of: Item.self), timestamp: feed.description.timestamp)
  }

  /// Publishes the items as the complete feed.
  public func insert(_ feed: [Item], timestamp: Date) async throws {
    try await put(feed, timestamp, appends: false)
  }

  /// Publishes the feed with the items added at its end.
  public func append(_ feed: [Item], timestamp: Date) async throws {
    try await put(feed, timestamp, appends: true)
  }

  /// Removes the feed. Running scans still read it to its end.
  public func deleteCachedFeed() async throws {
    try await change { [database, name] in
      _ = try database.delete(name, waits: true, timeout: database.writerTimeout)
    }
  }

  /// Publishes the items as the complete feed. Until then, and on failure, the feed is unchanged.
  public func replaceCachedFeed(with feed: [Item], timestamp: Date) async throws {
    try await insert(feed, timestamp: timestamp)
  }

  /// Removes the feed if it has expired or is unreadable, in its state after the wait for other
  /// changes. A feed published meanwhile is kept.
  public func deleteCachedFeed(unless isValid: @escaping @Sendable (Date) -> Bool) async throws {
    try await change { [self] in
      var unreadable = try unreadableGeneration(isValid)
      // Damage of a copy is no reason to delete the feed of all hosts.
      if unreadable?.isDamaged == true,
        try database.replaceCopy(
          of: name, FeedWait(waits: true, timeout: database.writerTimeout))
      {
        unreadable = try unreadableGeneration(isValid)
      }
      let generation = unreadable?.generation
      try database.delete(name, waits: true, timeout: database.writerTimeout) {
        $0.generation != generation && isValid($0.timestamp)
      }
    }
  }

  /// The generation of a feed whose timestamp is valid but whose records are damaged or no longer
  /// match the item.
  ///
  /// - Throws: errors that do not concern the feed itself, such as a failing disk. They are no
  ///   reason to delete it.
  private func unreadableGeneration(
    _ isValid: (Date) -> Bool
  ) throws(StoreError) -> (generation: UInt64, isDamaged: Bool)? {
    var generation: UInt64?
    do throws(StoreError) {
      guard let feed = try database.feed(named: name), isValid(feed.description.timestamp) else {
        return nil
      }
      generation = feed.description.generation
      _ = try feed.records(of: Item.self)
      return nil
    } catch {
      switch error.code {
      case .damaged, .invalidKind:
        return generation.map { ($0, error.code == .damaged) }
      default: throw error
      }
    }
  }

  private func put(_ feed: [Item], _ timestamp: Date, appends: Bool) async throws {
    let seconds = timestamp.timeIntervalSinceReferenceDate
    try await change { [database, name] in
      _ = try database.insert(
        feed, into: name, referenceSeconds: seconds, appends: appends, waits: true,
        timeout: database.writerTimeout)
    }
  }

  private func change(_ work: @escaping @Sendable () throws -> Void) async throws {
    try await order.change { try await onWorkerThread(work) }.value
  }
}
