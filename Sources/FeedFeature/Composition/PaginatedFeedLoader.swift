import Synchronization

/// Loads a feed page by page, stores it in a cache, and falls back to the cache if the service
/// cannot be reached.
///
/// A loaded page is saved before it is delivered. While another process replaces the same feed in a
/// database, a page waits for that. A failure to save to the cache, or to read it for that, does
/// not affect the delivery. A further page is not saved in three cases: its load was cancelled,
/// another load has replaced its first page, or a page after it was already saved.
public struct PaginatedFeedLoader<
  Item: Hashable & Sendable, Cursor: Hashable & Sendable
>: Sendable {
  private let pages: any FeedPageLoader<Item, Cursor>
  private let local: LocalFeedLoader<Item>
  private let fallback: FeedFallback<Item>
  private let onSaveError: @Sendable (any Error) -> Void
  private let loads = LatestLoad()

  /// Makes a loader; its copies coordinate their loads.
  ///
  /// - Parameters:
  ///   - pages: loads a page.
  ///   - local: the cache. Its policy decides whether new items of a page are appended
  ///     (``CachePolicy/Writing/append``), or all pages so far replace the cache.
  ///   - emptyFallback: how to handle an empty cache if the first page cannot be loaded.
  ///   - onFailure: receives why the first page was not loaded.
  ///   - onSaveError: receives why a page was not saved.
  public init(
    pages: some FeedPageLoader<Item, Cursor>, local: LocalFeedLoader<Item>,
    emptyFallback: EmptyFallback = .primaryError,
    onFailure: @escaping @Sendable (FallbackFailure) -> Void = { _ in },
    onSaveError: @escaping @Sendable (any Error) -> Void = { _ in }
  ) {
    self.pages = pages
    self.local = local
    fallback = FeedFallback(loader: local, emptyFallback: emptyFallback, onFailure: onFailure)
    self.onSaveError = onSaveError
  }

  /// The first page; if it cannot be loaded for any reason, the cached feed.
  ///
  /// - Throws: why the page could not be loaded, if there is no cached feed either;
  ///   `CancellationError` if the task was cancelled. A further page throws why it could not be
  ///   loaded, or ``PaginationError/circle`` if it was loaded before.
  public func load() async throws -> Paginated<Item> {
    let page: FeedPage<Item, Cursor>
    do {
      page = try await pages.loadPage(at: nil)
    } catch {
      let items = try await fallback.feed(insteadOf: error)
      return paginated(items, next: pages.cursor(after: items), LoadProgress(loads.begin()))
    }
    try Task.checkCancellation()
    let progress = LoadProgress(loads.begin())
    try await save(page.items, of: page.items, progress)
    return paginated(page.items, next: page.next, progress)
  }

  /// The progress of a load.
  private struct LoadProgress {
    let load: LatestLoad.Number
    /// The cursors of the further pages so far.
    private(set) var cursors: Set<Cursor> = []

    init(_ load: LatestLoad.Number) { self.load = load }

    /// - Throws: ``PaginationError/circle``.
    func adding(_ cursor: Cursor) throws(PaginationError) -> LoadProgress {
      var next = self
      guard next.cursors.insert(cursor).inserted else { throw .circle }
      return next
    }
  }

  private func paginated(_ items: [Item], next: Cursor?, _ progress: LoadProgress) -> Paginated<
    Item
  > {
    guard let next else { return Paginated(items: items) }
    return Paginated(items: items) {
      try await loadMore(at: next, after: items, progress.adding(next))
    }
  }

  private func loadMore(
    at cursor: Cursor, after shown: [Item], _ progress: LoadProgress
  ) async throws -> Paginated<Item> {
    let page = try await pages.loadPage(at: cursor)
    try Task.checkCancellation()
    let items = shown + (local.policy.write == .append ? page.items.missing(in: shown) : page.items)
    try await save(page.items, of: items, progress)
    return paginated(items, next: page.next, progress)
  }

  /// - Throws: only `CancellationError`, if the task was cancelled.
  private func save(_ page: [Item], of items: [Item], _ progress: LoadProgress) async throws {
    do {
      try await local.save(page: page, of: items) {
        !Task.isCancelled && loads.shouldSave(progress.cursors.count, of: progress.load)
      }
    } catch {
      if !(error is CancellationError) { onSaveError(error) }
    }
    try Task.checkCancellation()
  }
}

/// The load that has delivered last, and the number of its saved pages.
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

  /// Whether `pages` further pages of a load should be saved now. They should if the load is the
  /// latest one, and no later page of it is saved.
  func shouldSave(_ pages: Int, of load: Number) -> Bool {
    state.withLock { state in
      guard load == state.number, pages >= state.savedPages else { return false }
      state.savedPages = pages
      return true
    }
  }
}

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

/// Why there is no further page although the previous page announced one.
public enum PaginationError: ServiceFailure, Hashable, CustomStringConvertible {
  /// The next page was already loaded: the pages form a cycle.
  case circle

  /// False: the response violates the contract.
  public var isConnectivityFailure: Bool { false }

  public var description: String {
    switch self {
    case .circle: "The pages lead in a circle: the next one was loaded already."
    }
  }
}
