#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Loads a feed page by page.
public protocol FeedPageLoader<Item, Cursor>: Sendable {
  /// What the feed is a list of.
  associatedtype Item: Sendable
  /// What leads to a page: the id of the last item before it (`after_id`), or its URL
  /// (`info.next`).
  associatedtype Cursor: Sendable

  /// The first page without a cursor, else the page to which the cursor leads.
  ///
  /// - Throws: what kept the page from being loaded; `CancellationError` where the task was
  ///   cancelled.
  func loadPage(at cursor: Cursor?) async throws -> FeedPage<Item, Cursor>

  /// What leads on from items that came from a cache; nil where they do not tell.
  ///
  /// The default is the id of the last item where a cursor is an id, else nil.
  func cursor(behind items: [Item]) -> Cursor?
}

extension FeedPageLoader {
  public func cursor(behind items: [Item]) -> Cursor? { nil }
}

extension FeedPageLoader where Item: Identifiable, Cursor == Item.ID {
  public func cursor(behind items: [Item]) -> Cursor? { items.last?.id }
}

/// One page of a feed, and what leads to the next one.
public struct FeedPage<Item: Sendable, Cursor: Sendable>: Sendable {
  /// The items of this page alone.
  public var items: [Item]
  /// What leads to the next page; nil on the last one.
  public var next: Cursor?

  /// Makes a page; the last one has nothing next.
  public init(items: [Item], next: Cursor? = nil) {
    self.items = items
    self.next = next
  }
}

extension FeedPage where Item: Identifiable, Cursor == Item.ID {
  /// A page of a service that is asked for what comes after an item (Essential App, `after_id`):
  /// there is a next page until one is empty.
  public init(followedByLastItemOf items: [Item]) {
    self.init(items: items, next: items.last?.id)
  }
}

extension FeedPage<SeriesCharacter, URL> {
  /// A page of characters, which says where the next one is (Rick and Morty App, `info.next`).
  public init(_ page: CharacterPage) {
    self.init(items: page.characters, next: page.nextPage)
  }
}
