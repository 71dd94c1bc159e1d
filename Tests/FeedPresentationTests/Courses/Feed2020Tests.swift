import CourseSupport
import FeedFeature
import FeedPresentation
import Foundation
import Testing

@MainActor
@Suite("Essential Feed App (2020): the view")
struct Feed2020Tests {
  private typealias Screen = FeedScreen<FeedImage, FeedImageViewModel>

  private let presenter = FeedPresenter(text: english)
  private let saved = Samples.images
  private let latest = [Samples.image(9)]

  private func screen(
    _ service: Result<[FeedImage], ServiceError>, cachedAt timestamp: Date? = nil
  ) -> Screen {
    Screen(
      .feed2020, service: service,
      cache: timestamp.map { CachedFeed(feed: saved, timestamp: $0) }, mapper: presenter.map)
  }

  @Test(
    "Essential Feed App (2020): online, the latest feed is shown, and replaces the cache",
    .course(.feed2020, "Image Feed, Narrative #1", "Online"))
  func online() async {
    let screen = self.screen(.success(latest), cachedAt: ago(days: 1))
    #expect(await screen.request() == Screen.shows(presenter.map(latest)))
    #expect(await screen.store.retrieve()?.feed == latest)
  }

  @Test(
    "Essential Feed App (2020): offline, a feed saved less than seven days ago is shown, without an error",
    .course(.feed2020, "Image Feed, Narrative #2", "Offline, cache less than seven days old"),
    arguments: ServiceError.allCases, [now, ago(days: 7, seconds: -1)])
  func offline(error: ServiceError, timestamp: Date) async {
    let screen = self.screen(.failure(error), cachedAt: timestamp)
    #expect(await screen.request() == Screen.shows(presenter.map(saved)))
  }

  @Test(
    "Essential Feed App (2020): offline, with a feed saved seven days ago or more, the customer reads why",
    .course(.feed2020, "Image Feed, Narrative #2", "Offline, cache seven days old or more"),
    arguments: ServiceError.allCases, [ago(days: 7), .distantPast])
  func offlineExpired(error: ServiceError, timestamp: Date) async {
    let screen = self.screen(.failure(error), cachedAt: timestamp)
    #expect(await screen.request() == Screen.shows(error))
  }

  @Test(
    "Essential Feed App (2020): offline, with an empty cache, the customer reads why",
    .course(.feed2020, "Image Feed, Narrative #2", "Offline, cache empty"),
    arguments: ServiceError.allCases)
  func offlineEmpty(error: ServiceError) async {
    #expect(await screen(.failure(error)).request() == Screen.shows(error))
  }
}
