public import FeedFeature

/// Shows the items of a feed so far, and loads more on request.
///
/// It is the view for a first page from a ``LoadResourcePresenter``. If a further page cannot be
/// loaded, the items stay unchanged and the load may be retried.
@MainActor
public final class LoadMorePresentationAdapter<Item: Sendable, View: ResourceView>: ResourceView {
  private let itemsView: View
  private let loadMoreView: any LoadMoreView
  private let failures: FailureTexts
  private let mapper: ([Item]) throws -> View.ViewModel
  private let load = ResourceLoad<Paginated<Item>>()
  private var page = Paginated<Item>(items: [])

  /// Makes an adapter for these views, which it retains.
  ///
  /// - Parameters:
  ///   - itemsView: shows all items so far.
  ///   - loadMoreView: shows whether there are more.
  ///   - failures: the messages for errors.
  ///   - mapper: converts the items to a view model; if it throws, the load has failed.
  public init(
    itemsView: View, loadMoreView: any LoadMoreView, failures: FailureTexts,
    mapper: @escaping ([Item]) throws -> View.ViewModel
  ) {
    self.itemsView = itemsView
    self.loadMoreView = loadMoreView
    self.failures = failures
    self.mapper = mapper
  }

  /// Whether a further page is being loaded.
  public var isLoading: Bool { load.isRunning }

  /// Shows a page instead of the previous ones, and cancels the load of a further page.
  ///
  /// If the page cannot be shown, loading more retries that.
  public func display(_ viewModel: Paginated<Item>) {
    load.cancel()
    page = Paginated(items: []) { viewModel }
    show(viewModel)
  }

  /// Starts to load the next page. While one is being loaded, and after the last one, this does
  /// nothing.
  ///
  /// - Returns: the load in progress; nil if there are no more pages.
  @discardableResult
  public func loadMore() -> Task<Void, Never>? {
    guard let loadMore = page.loadMore else { return nil }
    return load.start(loadMore) { [weak self] event in
      switch event {
      case .started: self?.showLoading()
      case .loaded(let page): self?.show(page)
      case .failed(let error): self?.show(error)
      case .cancelled: self?.showWhetherThereIsMore()
      }
    }
  }

  /// Cancels the load of the next page: neither items nor an error follow.
  public func cancel() { load.cancel() }

  private func show(_ page: Paginated<Item>) {
    do {
      let viewModel = try mapper(page.items)
      // Assigned first: if the view requests more while it shows these items, the next page follows
      // them.
      self.page = page
      itemsView.display(viewModel)
      if !load.isRunning { showWhetherThereIsMore() }
    } catch {
      show(error)
    }
  }

  private func showLoading() {
    loadMoreView.display(.loading(message: failures.text[.loading]))
  }

  private func show(_ error: any Error) {
    let text = failures.text
    loadMoreView.display(.failed(message: failures.message(for: error), retry: text[.retry]))
  }

  private func showWhetherThereIsMore() {
    let text = failures.text
    loadMoreView.display(
      page.loadMore == nil ? .end(message: text[.end]) : .ready(title: text[.loadMore]))
  }
}

/// The view model below the items of a feed that is loaded page by page.
public enum LoadMoreViewModel: Sendable, Hashable {
  /// There is more to load, with a button of this title.
  case ready(title: String)
  /// More is being loaded; the message states it.
  case loading(message: String)
  /// Loading more failed for this reason. It may be retried with a button of this title.
  case failed(message: String, retry: String)
  /// There is no more; the message states it.
  case end(message: String)

  /// Whether more may be requested now.
  public var canLoadMore: Bool {
    switch self {
    case .ready, .failed: true
    case .loading, .end: false
    }
  }
}

/// The view below the items of a feed.
@MainActor
public protocol LoadMoreView {
  /// Shows whether there is more, it is being loaded, or loading failed.
  func display(_ viewModel: LoadMoreViewModel)
}
