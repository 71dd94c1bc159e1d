/// Loads a feed page by page, keeps what was loaded in a cache, and shows that when the service
/// cannot be reached.
///
/// A page that is loaded is saved before it is delivered, since the next one is added to what the
/// cache has. That the cache fails to save changes nothing of what is delivered.
public struct PaginatedFeedLoader<Store: FeedStore, Cursor: Sendable>: Sendable {
  /// What the feed is a list of.
  public typealias Item = Store.Item

  private let pages: any FeedPageLoader<Item, Cursor>
  private let local: LocalFeedLoader<Store>
  private let fallback: FeedFallback<Item>
  private let onSaveError: @Sendable (any Error) -> Void

  /// Makes a loader.
  ///
  /// - Parameters:
  ///   - pages: what loads a page.
  ///   - local: the cache. Its policy says whether a further page is added to it
  ///     (``CachePolicy/Writing/append``) or all pages so far take the place of those before it.
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
      return paginated(items, next: pages.cursor(behind: items))
    }
    await save(page.items)
    return paginated(page.items, next: page.next)
  }

  private func paginated(_ items: [Item], next: Cursor?) -> Paginated<Item> {
    guard let next else { return Paginated(items: items) }
    return Paginated(items: items) { try await loadMore(at: next) }
  }

  private func loadMore(at cursor: Cursor) async throws -> Paginated<Item> {
    async let cachedItems = cached()
    async let nextPage = pages.loadPage(at: cursor)
    let page = try await nextPage
    let items = try await cachedItems + page.items
    await save(local.policy.write == .append ? page.items : items)
    return paginated(items, next: page.next)
  }

  /// An expired cache adds no items, whatever the policy makes of loading one.
  private func cached() async throws -> [Item] {
    do {
      return try await local.load()
    } catch is LocalFeedError {
      return []
    }
  }

  private func save(_ items: [Item]) async {
    do {
      try await local.save(items)
    } catch {
      onSaveError(error)
    }
  }
}
