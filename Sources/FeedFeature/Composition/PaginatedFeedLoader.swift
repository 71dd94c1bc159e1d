import Synchronization

/// Loads a feed page by page, keeps what was loaded in a cache, and shows that when the service
/// cannot be reached.
///
/// A page that is loaded is saved before it is delivered: as long as another process replaces the
/// same feed in a database, a page waits for that. That the cache fails to save, or to be
/// read for that, changes nothing of what is delivered. A further page is not saved if it was
/// cancelled, if another load has taken the place of its first page meanwhile, or if a page behind it
/// was saved already.
public struct PaginatedFeedLoader<Store: FeedStore, Cursor: Hashable & Sendable>: Sendable
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
  ///   `CancellationError` if the task was cancelled. A further page throws why it could not be
  ///   loaded; ``PaginationError/circle`` where it was loaded before.
  public func load() async throws -> Paginated<Item> {
    let page: FeedPage<Item, Cursor>
    do {
      page = try await pages.loadPage(at: nil)
    } catch {
      let items = try await fallback.feed(insteadOf: error)
      return paginated(items, next: pages.cursor(behind: items), Place(loads.begin()))
    }
    try Task.checkCancellation()
    let place = Place(loads.begin())
    try await save(page.items, of: page.items, place)
    return paginated(page.items, next: page.next, place)
  }

  /// How far a load has come.
  private struct Place {
    let load: LatestLoad.Number
    /// What has led to the further pages, one after another.
    private(set) var cursors: Set<Cursor> = []

    init(_ load: LatestLoad.Number) { self.load = load }

    /// - Throws: ``PaginationError/circle``.
    func behind(_ cursor: Cursor) throws(PaginationError) -> Place {
      var next = self
      guard next.cursors.insert(cursor).inserted else { throw .circle }
      return next
    }
  }

  private func paginated(_ items: [Item], next: Cursor?, _ place: Place) -> Paginated<Item> {
    guard let next else { return Paginated(items: items) }
    return Paginated(items: items) {
      try await loadMore(at: next, behind: items, place.behind(next))
    }
  }

  private func loadMore(
    at cursor: Cursor, behind shown: [Item], _ place: Place
  ) async throws -> Paginated<Item> {
    let page = try await pages.loadPage(at: cursor)
    try Task.checkCancellation()
    let items = shown + (local.policy.write == .append ? page.items.missing(in: shown) : page.items)
    try await save(page.items, of: items, place)
    return paginated(items, next: page.next, place)
  }

  /// - Throws: `CancellationError` if the task was cancelled, and nothing else.
  private func save(_ page: [Item], of items: [Item], _ place: Place) async throws {
    do {
      try await local.save(page: page, of: items) {
        !Task.isCancelled && loads.saves(place.cursors.count, of: place.load)
      }
    } catch {
      if !(error is CancellationError) { onSaveError(error) }
    }
    try Task.checkCancellation()
  }
}

/// Which of several loads has delivered last, and how far of it is saved.
private final class LatestLoad: Sendable {
  typealias Number = Int

  private struct State {
    var number: Number = 0
    var savedPages = 0
  }

  private let state = Mutex(State())

  func begin() -> Number {
    state.withLock { state in
      state = State(number: state.number + 1)
      return state.number
    }
  }

  /// Whether so many further pages of a load are to be saved now: it is the latest load, and no more
  /// of them are saved.
  func saves(_ pages: Int, of load: Number) -> Bool {
    state.withLock { state in
      guard load == state.number, pages >= state.savedPages else { return false }
      state.savedPages = pages
      return true
    }
  }
}
