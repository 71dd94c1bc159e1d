public import FeedFeature

/// Shows the items of a feed so far, and loads more of them when it is asked to.
///
/// It is itself the view of a first page, which a ``LoadResourcePresenter`` shows in it. That a
/// further page cannot be loaded leaves the items as they are; it may be tried again.
@MainActor
public final class LoadMorePresentationAdapter<Item: Sendable, View: ResourceView>: ResourceView {
  private let itemsView: View
  private let loadMoreView: any LoadMoreView
  private let failures: FailureTexts
  private let mapper: ([Item]) throws -> View.ViewModel
  private let load = ResourceLoad<Paginated<Item>>()
  private var page = Paginated<Item>(items: [])

  /// Makes an adapter for these views, which it holds.
  ///
  /// - Parameters:
  ///   - itemsView: shows all items so far.
  ///   - loadMoreView: shows whether there is more.
  ///   - failures: what to tell the customer of an error.
  ///   - mapper: makes what the view shows of the items; that it throws counts as a failed load.
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

  /// Shows a page in the place of those before, and gives up what was loaded behind them.
  ///
  /// Where it cannot be shown, to load more is to try that again.
  public func display(_ viewModel: Paginated<Item>) {
    load.cancel()
    page = Paginated(items: []) { viewModel }
    show(viewModel)
  }

  /// Begins to load the next page. While one is being loaded, and behind the last one, this does
  /// nothing.
  ///
  /// - Returns: the load under way; nil if there is no more.
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

  /// Gives up the load of the next page, if one is under way: neither items nor an error follow.
  public func cancel() { load.cancel() }

  private func show(_ page: Paginated<Item>) {
    do {
      let viewModel = try mapper(page.items)
      // The view may ask for more while it is shown this, which is then what lies behind it.
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
