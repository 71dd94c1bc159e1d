/// The items loaded so far, and how to load more of them.
public struct Paginated<Item: Sendable>: Sendable {
  /// All items so far, those of the earlier pages first.
  public let items: [Item]

  /// Loads one more page and gives the items so far and those of the page; nil on the last page.
  /// If it fails it may be called again.
  public let loadMore: (@Sendable () async throws -> Paginated)?

  /// Makes a page; the last one has no more to load.
  public init(items: [Item], loadMore: (@Sendable () async throws -> Paginated)? = nil) {
    self.items = items
    self.loadMore = loadMore
  }
}
