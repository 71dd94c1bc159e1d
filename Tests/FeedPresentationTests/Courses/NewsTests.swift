import CourseSupport
import FeedFeature
import FeedPresentation
import Foundation
import Testing

@MainActor
@Suite("EssentialNews App: the view")
struct NewsTests {
  private typealias Screen = FeedScreen<Article, ArticleViewModel>

  private let presenter = FeedArticlesPresenter(
    text: english, calendar: gregorian(), currentDate: { now })
  private let saved = [Samples.article(publishedAt: ago(days: 2))]
  private let latest = [Samples.article(publishedAt: now)]

  private func screen(
    _ service: Result<[Article], ServiceError>, cachedAt timestamp: Date? = nil
  ) -> Screen {
    Screen(
      .news, service: service,
      cache: timestamp.map { CachedFeed(feed: saved, timestamp: $0) }, mapper: presenter.map)
  }

  @Test(
    "EssentialNews App: online, the latest feed is shown, and replaces the cache",
    .course(.news, "News Feed, Narrative #1", "Online"))
  func online() async {
    let screen = self.screen(.success(latest), cachedAt: ago(days: 1))
    #expect(await screen.request() == Screen.shows(presenter.map(latest)))
    #expect(await screen.store.retrieve()?.feed == latest)
  }

  @Test(
    "EssentialNews App: offline, a feed saved less than seven days ago is shown, without an error",
    .course(.news, "News Feed, Narrative #2", "Offline, cache less than seven days old"),
    arguments: ServiceError.allCases, [now, ago(days: 7, seconds: -1)])
  func offline(error: ServiceError, timestamp: Date) async {
    let screen = self.screen(.failure(error), cachedAt: timestamp)
    #expect(await screen.request() == Screen.shows(presenter.map(saved)))
  }

  @Test(
    "EssentialNews App: offline, with a feed saved seven days ago or more, the customer reads why",
    .course(.news, "News Feed, Narrative #2", "Offline, cache seven days old or more"),
    arguments: ServiceError.allCases, [ago(days: 7), .distantPast])
  func offlineExpired(error: ServiceError, timestamp: Date) async {
    let screen = self.screen(.failure(error), cachedAt: timestamp)
    #expect(await screen.request() == Screen.shows(error))
  }

  @Test(
    "EssentialNews App: offline, with an empty cache, the customer reads why",
    .course(.news, "News Feed, Narrative #2", "Offline, cache empty"),
    arguments: ServiceError.allCases)
  func offlineEmpty(error: ServiceError) async {
    #expect(await screen(.failure(error)).request() == Screen.shows(error))
  }
}
