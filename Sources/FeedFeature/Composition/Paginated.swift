/// The items loaded so far, and a way to load more.
public struct Paginated<Item: Sendable>: Sendable {
  /// All items so far, in the order of the pages.
  public let items: [Item]

  /// Loads one more page and returns all items including it; nil on the last page. After a failure
  /// it may be called again.
  public let loadMore: (@Sendable () async throws -> Paginated)?

  /// Makes a page; for the last one, `loadMore` is nil.
  public init(items: [Item], loadMore: (@Sendable () async throws -> Paginated)? = nil) {
    self.items = items
    self.loadMore = loadMore
  }
}
