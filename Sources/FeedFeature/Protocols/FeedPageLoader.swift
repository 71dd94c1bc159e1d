#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Loads a feed page by page.
public protocol FeedPageLoader<Item, Cursor>: Sendable {
  /// The type of the feed's items.
  associatedtype Item: Sendable
  /// The cursor of a page: the id of the last item before it (`after_id`), or its URL
  /// (`info.next`).
  associatedtype Cursor: Sendable

  /// The first page without a cursor, else the page at the cursor.
  ///
  /// - Throws: why the page could not be loaded; `CancellationError` if the task was cancelled.
  func loadPage(at cursor: Cursor?) async throws -> FeedPage<Item, Cursor>

  /// The cursor after items that came from a cache; nil if they do not determine it.
  ///
  /// The default is the id of the last item if a cursor is an id, else nil.
  func cursor(after items: [Item]) -> Cursor?
}

extension FeedPageLoader {
  public func cursor(after items: [Item]) -> Cursor? { nil }
}

extension FeedPageLoader where Item: Identifiable, Cursor == Item.ID {
  public func cursor(after items: [Item]) -> Cursor? { items.last?.id }
}

/// One page of a feed, and the cursor of the next one.
public struct FeedPage<Item: Sendable, Cursor: Sendable>: Sendable {
  /// The items of this page only.
  public var items: [Item]
  /// The cursor of the next page; nil on the last one.
  public var next: Cursor?

  /// Makes a page; for the last one, `next` is nil.
  public init(items: [Item], next: Cursor? = nil) {
    self.items = items
    self.next = next
  }
}

extension FeedPage where Item: Identifiable, Cursor == Item.ID {
  /// A page of a service that returns the items after a given one (Essential App, `after_id`).
  /// There is a next page until a page is empty.
  public init(followedByLastItemOf items: [Item]) {
    self.init(items: items, next: items.last?.id)
  }
}

extension FeedPage<SeriesCharacter, URL> {
  /// A page of characters, which contains the URL of the next (Rick and Morty App, `info.next`).
  public init(_ page: CharacterPage) {
    self.init(items: page.characters, next: page.nextPage)
  }
}
