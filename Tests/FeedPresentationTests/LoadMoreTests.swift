import FeedFeature
import FeedPresentation
import Testing

/// Requests more whenever it shows items, like a list that is scrolled to its end.
@MainActor
private final class EagerView: ResourceView {
  var askForMore: () -> Void = {}
  private(set) var shown: [[Int]] = []

  func display(_ viewModel: [Int]) {
    shown.append(viewModel)
    askForMore()
  }
}

@MainActor
@Suite("Loading more")
struct LoadMoreTests {
  private let next = PendingLoader<Paginated<Int>>()
  private let items = ViewSpy<[String]>()
  private let below = LoadMoreSpy()
  private let ready = LoadMoreViewModel.ready(title: "Load more")
  private let loading = LoadMoreViewModel.loading(message: "Loading…")
  private let end = LoadMoreViewModel.end(message: "That is all")

  private func makeAdapter() -> LoadMorePresentationAdapter<Int, ViewSpy<[String]>> {
    LoadMorePresentationAdapter(
      itemsView: items, loadMoreView: below, failures: failures,
      mapper: { (items: [Int]) throws -> [String] in
        if items.contains(0) { throw ServiceError.invalidData }
        return items.map(String.init)
      })
  }

  private func page(_ items: [Int], isLast: Bool = false) -> Paginated<Int> {
    guard !isLast else { return Paginated(items: items) }
    return Paginated(items: items) { [next] in try await next.load() }
  }

  @Test("a page shows its items, and that there is more")
  func first() {
    makeAdapter().display(page([1, 2]))
    #expect(items.messages == [.resource(["1", "2"])])
    #expect(below.messages == [ready])
  }

  @Test("the last page shows the end, and no more is loaded")
  func last() {
    let adapter = makeAdapter()
    adapter.display(page([1], isLast: true))
    #expect(below.messages == [end])
    #expect(adapter.loadMore() == nil)
    #expect(below.messages == [end])
  }

  @Test("nothing is loaded before the first page")
  func none() {
    #expect(makeAdapter().loadMore() == nil)
    #expect(below.messages.isEmpty)
  }

  @Test("a further page replaces those before, up to the end")
  func more() async {
    let adapter = makeAdapter()
    adapter.display(page([1]))
    next.end(with: .success(page([1, 2])))
    await adapter.loadMore()?.value
    next.end(with: .success(page([1, 2, 3], isLast: true)))
    await adapter.loadMore()?.value
    #expect(
      items.messages == [.resource(["1"]), .resource(["1", "2"]), .resource(["1", "2", "3"])])
    #expect(below.messages == [ready, loading, ready, loading, end])
  }

  @Test("a page that fails leaves the items, and may be retried")
  func fails() async {
    let adapter = makeAdapter()
    adapter.display(page([1]))
    next.end(with: .failure(ServiceError.connectivity))
    await adapter.loadMore()?.value
    #expect(items.messages == [.resource(["1"])])
    let failed = LoadMoreViewModel.failed(
      message: "Couldn't connect to server", retry: "Try again")
    #expect(below.messages == [ready, loading, failed])
    #expect(failed.canLoadMore)

    next.end(with: .success(page([1, 2], isLast: true)))
    await adapter.loadMore()?.value
    #expect(below.messages == [ready, loading, failed, loading, end])
    #expect(items.messages.last == .resource(["1", "2"]))
  }

  @Test("a page that cannot be mapped fails, and loading more may be retried")
  func mappingFails() async {
    let adapter = makeAdapter()
    adapter.display(page([1]))
    next.end(with: .success(page([1, 0], isLast: true)))
    await adapter.loadMore()?.value
    #expect(
      below.messages.last
        == .failed(message: ServiceError.invalidData.message, retry: "Try again"))
    next.end(with: .success(page([1, 2], isLast: true)))
    await adapter.loadMore()?.value
    #expect(items.messages == [.resource(["1"]), .resource(["1", "2"])])
  }

  @Test("a first page that cannot be mapped may be retried, and replaces the pages before")
  func firstMappingFails() async {
    let failed = LoadMoreViewModel.failed(
      message: ServiceError.invalidData.message, retry: "Try again")
    for isFirst in [true, false] {
      let adapter = makeAdapter()
      if !isFirst { adapter.display(page([1])) }
      adapter.display(page([0]))
      #expect(below.messages.last == failed)
      let load = adapter.loadMore()
      #expect(load != nil)
      #expect(below.messages.last == loading)
      await load?.value
      #expect(below.messages.last == failed)
    }
    #expect(next.callCount == 0)
  }

  @Test("a second request while one is in progress is ignored")
  func ignoresSecond() async {
    let adapter = makeAdapter()
    adapter.display(page([1]))
    let first = adapter.loadMore()
    let second = adapter.loadMore()
    #expect(first == second)
    #expect(adapter.isLoading)
    #expect(!loading.canLoadMore)
    next.end(with: .success(page([1, 2], isLast: true)))
    await first?.value
    #expect(next.callCount == 1)
  }

  @Test("a cancellation shows neither items nor an error, and that there is more")
  func cancels() async {
    let adapter = makeAdapter()
    adapter.display(page([1]))
    let load = adapter.loadMore()
    adapter.cancel()
    next.end(with: .success(page([1, 2])))
    await load?.value
    #expect(items.messages == [.resource(["1"])])
    #expect(below.messages == [ready, loading, ready])
  }

  @Test("a new feed cancels the load of a further page of the old one")
  func reloaded() async {
    let adapter = makeAdapter()
    adapter.display(page([1]))
    let load = adapter.loadMore()
    adapter.display(page([7], isLast: true))
    next.end(with: .success(page([1, 2])))
    await load?.value
    #expect(items.messages == [.resource(["1"]), .resource(["7"])])
    #expect(below.messages == [ready, loading, ready, end])
  }

  @Test("a view that requests more while it shows a page gets the page after it")
  func asksWhileShown() async {
    let view = EagerView()
    let adapter = LoadMorePresentationAdapter<Int, EagerView>(
      itemsView: view, loadMoreView: below, failures: failures, mapper: { $0 })
    view.askForMore = { [weak adapter] in adapter?.loadMore() }
    adapter.display(Self.pages(1, upTo: 3))
    while let load = adapter.loadMore() { await load.value }
    #expect(view.shown == [[1], [1, 2], [1, 2, 3]])
    #expect(below.messages == [loading, loading, end])
  }

  private nonisolated static func pages(_ count: Int, upTo last: Int) -> Paginated<Int> {
    guard count < last else { return Paginated(items: Array(1...count)) }
    return Paginated(items: Array(1...count)) { pages(count + 1, upTo: last) }
  }

  @Test("the first page that a presenter loads is shown")
  func view() async {
    let errors = ViewSpy<[String]>()
    let adapter = LoadResourcePresentationAdapter(
      presenter: LoadResourcePresenter(
        resourceView: makeAdapter(), loadingView: errors, errorView: errors, failures: failures),
      loader: { Paginated(items: [1]) })
    await adapter.loadResource().value
    #expect(items.messages == [.resource(["1"])])
    #expect(below.messages == [end])
  }
}
