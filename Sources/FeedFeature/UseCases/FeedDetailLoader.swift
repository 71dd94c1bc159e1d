/// Finds the details of an item in the feed that it belongs to, without another request (ListApp,
/// "Detail view Use Case").
///
/// The whole feed is loaded for each detail, so this is for feeds that a view shows anyway. If
/// several items have one key, such as universities with the same name, the first is delivered.
public struct FeedDetailLoader<Item: Sendable, Key: Hashable & Sendable>: DetailLoader {
  private let feed: any FeedLoader<Item>
  private let key: @Sendable (Item) -> Key

  /// Makes a loader.
  ///
  /// - Parameters:
  ///   - feed: loads the feed.
  ///   - key: returns the key of an item.
  public init(in feed: some FeedLoader<Item>, by key: @escaping @Sendable (Item) -> Key) {
    self.feed = feed
    self.key = key
  }

  /// The item with this key.
  ///
  /// - Throws: ``DetailError/notFound``; what the feed's loader throws.
  public func loadDetail(for key: Key) async throws -> Item {
    guard let item = try await feed.load().first(where: { self.key($0) == key }) else {
      throw DetailError.notFound
    }
    return item
  }
}

/// Why there are no details.
public enum DetailError: Error, Hashable, CustomStringConvertible {
  /// The feed has no such item.
  case notFound

  public var description: String {
    switch self {
    case .notFound: "The feed has no item with this key."
    }
  }
}

/// Loads the details of one item by its key: the comments on an image by the image's id, an article
/// by its URL, a university or character by its name.
public protocol DetailLoader<Key, Detail>: Sendable {
  /// The key that identifies an item of a feed.
  associatedtype Key: Sendable
  /// The details of an item.
  associatedtype Detail: Sendable

  /// The details of the item with this key.
  ///
  /// - Throws: why the details could not be loaded; `CancellationError` if the task was cancelled.
  func loadDetail(for key: Key) async throws -> Detail
}
