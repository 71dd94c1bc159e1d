/// Loads a feed: from a service, from a cache, or from a composition of both.
public protocol FeedLoader<Item>: Sendable {
  /// The type of the feed's items.
  associatedtype Item: Sendable

  /// The items of the feed, in its order.
  ///
  /// - Throws: why the feed could not be loaded; `CancellationError` if the task was cancelled.
  func load() async throws -> [Item]
}

/// Saves a feed for the time when it cannot be loaded.
public protocol FeedCache<Item>: Sendable {
  /// The type of the feed's items.
  associatedtype Item: Sendable

  /// Saves a feed; returns when it is stored.
  func save(_ feed: [Item]) async throws
}

/// An error of a service, of the two kinds that the documents of the apps distinguish: "No
/// connectivity" and "Invalid data".
///
/// Presenters show customers which kind it is. The errors of `FeedAPI` conform; those of other
/// loaders may, too.
public protocol ServiceFailure: Error {
  /// True if there was no complete response; false if the response violates the contract.
  var isConnectivityFailure: Bool { get }
}
