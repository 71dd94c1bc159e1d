import Synchronization

/// Loads a feed page by page, keeps what was loaded in a cache, and shows that when the service
/// cannot be reached.
///
/// A page that is loaded is saved before it is delivered: as long as another process replaces the
/// same feed in a database, a page waits for that. That the cache fails to save, or to be
/// read for that, changes nothing of what is delivered. A further page that was cancelled, or
/// whose first page another load has taken the place of meanwhile, is not saved.
public struct PaginatedFeedLoader<Store: FeedStore, Cursor: Sendable>: Sendable
where Store.Item: Hashable {
  /// What the feed is a list of.
  public typealias Item = Store.Item

  private let pages: any FeedPageLoader<Item, Cursor>
  private let local: LocalFeedLoader<Store>
  private let fallback: FeedFallback<Item>
  private let onSaveError: @Sendable (any Error) -> Void
  private let loads = LatestLoad()

  /// Makes a loader; its copies know of each other's loads.
  ///
  /// - Parameters:
  ///   - pages: what loads a page.
  ///   - local: the cache. Its policy says whether a page is added to it
  ///     (``CachePolicy/Writing/append``), but for the items that it has already, or all pages so
  ///     far take the place of those before it.
  ///   - emptyFallback: what it means if the first page cannot be loaded and the cache is empty.
  ///   - onFailure: is told why the first page was not loaded.
  ///   - onSaveError: is told why a page was not saved.
  public init(
    pages: some FeedPageLoader<Item, Cursor>, local: LocalFeedLoader<Store>,
    emptyFallback: EmptyFallback = .primaryError,
    onFailure: @escaping @Sendable (FallbackFailure) -> Void = { _ in },
    onSaveError: @escaping @Sendable (any Error) -> Void = { _ in }
  ) {
    self.pages = pages
    self.local = local
    fallback = FeedFallback(loader: local, emptyFallback: emptyFallback, onFailure: onFailure)
    self.onSaveError = onSaveError
  }

  /// The first page; if it cannot be loaded, for whatever reason, the cached feed.
  ///
  /// - Throws: why the page could not be loaded, if there is no cached feed either;
  ///   `CancellationError` if the task was cancelled.
  public func load() async throws -> Paginated<Item> {
    let page: FeedPage<Item, Cursor>
    do {
      page = try await pages.loadPage(at: nil)
    } catch {
      let items = try await fallback.feed(insteadOf: error)
      return paginated(items, next: pages.cursor(behind: items), loads.begin())
    }
    try Task.checkCancellation()
    let load = loads.begin()
    try await save(page.items, of: page.items, load)
    return paginated(page.items, next: page.next, load)
  }

  private func paginated(
    _ items: [Item], next: Cursor?, _ load: LatestLoad.Number
  ) -> Paginated<Item> {
    guard let next else { return Paginated(items: items) }
    return Paginated(items: items) { try await loadMore(at: next, behind: items, load) }
  }

  private func loadMore(
    at cursor: Cursor, behind shown: [Item], _ load: LatestLoad.Number
  ) async throws -> Paginated<Item> {
    let page = try await pages.loadPage(at: cursor)
    try Task.checkCancellation()
    let items = shown + (local.policy.write == .append ? page.items.missing(in: shown) : page.items)
    try await save(page.items, of: items, load)
    return paginated(items, next: page.next, load)
  }

  /// - Throws: `CancellationError` if the task was cancelled, and nothing else.
  private func save(
    _ page: [Item], of items: [Item], _ load: LatestLoad.Number
  ) async throws {
    do {
      try await local.save(page: page, of: items) { loads.isLatest(load) && !Task.isCancelled }
    } catch {
      if !(error is CancellationError) { onSaveError(error) }
    }
    try Task.checkCancellation()
  }
}

/// Which of several loads has delivered last.
private final class LatestLoad: Sendable {
  typealias Number = Int

  private let number = Mutex<Number>(0)

  func begin() -> Number {
    number.withLock { number in
      number += 1
      return number
    }
  }

  func isLatest(_ load: Number) -> Bool { number.withLock { $0 == load } }
}
