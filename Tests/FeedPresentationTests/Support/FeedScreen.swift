import FeedFeature
import FeedPresentation
import Foundation

/// A feed as a customer sees it: a service, its cache, and the events of a view.
@MainActor
struct FeedScreen<Item: Sendable, ViewModel: Equatable & Sendable> {
  let store: InMemoryFeedStore<Item>
  private let view = ViewSpy<[ViewModel]>()
  private let caching: FeedLoaderCacheDecorator<Item>
  private let adapter: LoadResourcePresentationAdapter<[Item], ViewSpy<[ViewModel]>>

  init(
    _ policy: CachePolicy, service: Result<[Item], ServiceError>, cache: CachedFeed<Item>? = nil,
    mapper: @escaping ([Item]) -> [ViewModel]
  ) {
    store = InMemoryFeedStore(cache)
    let local = LocalFeedLoader(store: store, policy: policy, currentDate: { now })
    caching = Service(result: service).caching(in: local)
    let loader = caching.fallback(to: local)
    adapter = LoadResourcePresentationAdapter(
      presenter: LoadResourcePresenter(
        resourceView: view, loadingView: view, errorView: view, failures: failures, mapper: mapper),
      loader: { try await loader.load() })
  }

  /// The events of a view from the request to its end.
  func request() async -> [ViewSpy<[ViewModel]>.Message] {
    await adapter.loadResource().value
    await caching.waitForSaves()
    return view.messages
  }

  static func shows(_ items: [ViewModel]) -> [ViewSpy<[ViewModel]>.Message] {
    [.error(nil), .loading(true), .resource(items), .loading(false)]
  }

  static func shows(_ error: ServiceError) -> [ViewSpy<[ViewModel]>.Message] {
    [.error(nil), .loading(true), .error(error.message), .loading(false)]
  }
}
