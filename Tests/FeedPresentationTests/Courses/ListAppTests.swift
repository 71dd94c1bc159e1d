import CourseSupport
import FeedFeature
import FeedPresentation
import Foundation
import Testing

@MainActor
@Suite("List App: the view")
struct ListAppTests {
  private typealias Screen = FeedScreen<University, UniversityViewModel>

  private let presenter = UniversitiesPresenter(text: english)
  private let saved = [Samples.university]
  private let latest = [University(name: "New", country: "Greece", alphaTwoCode: "GR")]

  private func screen(
    _ service: Result<[University], ServiceError>, cachedAt timestamp: Date? = nil
  ) -> Screen {
    Screen(
      .universities, service: service,
      cache: timestamp.map { CachedFeed(feed: saved, timestamp: $0) }, mapper: presenter.map)
  }

  @Test(
    "List App: online, the latest feed is shown, and replaces the cache",
    .course(.universities, "Feed, Narrative #1", "Online"))
  func online() async {
    let screen = self.screen(.success(latest), cachedAt: ago(days: 1))
    #expect(await screen.request() == Screen.shows(presenter.map(latest)))
    #expect(await screen.store.retrieve()?.feed == latest)
  }

  @Test(
    "List App: offline, the saved feed is shown, without an error",
    .course(.universities, "Feed, Narrative #2", "Offline, cached feed"),
    arguments: ServiceError.allCases, [now, .distantPast])
  func offline(error: ServiceError, timestamp: Date) async {
    let screen = self.screen(.failure(error), cachedAt: timestamp)
    #expect(await screen.request() == Screen.shows(presenter.map(saved)))
  }

  @Test(
    "List App: offline, with an empty cache, the customer reads why",
    .course(.universities, "Feed, Narrative #2", "Offline, cache empty"),
    arguments: ServiceError.allCases)
  func offlineEmpty(error: ServiceError) async {
    #expect(await screen(.failure(error)).request() == Screen.shows(error))
  }

  @Test(
    "List App: from the feed view, the detail of a university is shown",
    .course(.universities, "Detail View, Narrative", "On the feed view"),
    .course(.universities, "Detail view Use Case", "Primary course"))
  func detail() async {
    let view = ViewSpy<UniversityDetailViewModel>()
    let shown = presenter.map(saved)[0]
    let details = FeedDetailLoader(in: InMemoryFeedLoader(saved), by: \.name)
    let adapter = LoadResourcePresentationAdapter(
      presenter: LoadResourcePresenter(
        resourceView: view, loadingView: view, errorView: view, failures: failures,
        mapper: presenter.mapDetail),
      loader: { try await details.loadDetail(for: shown.name) })
    await adapter.loadResource().value
    let detail = presenter.mapDetail(saved[0])
    #expect(view.messages == [.error(nil), .loading(true), .resource(detail), .loading(false)])
  }
}
