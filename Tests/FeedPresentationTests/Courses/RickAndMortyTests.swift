import CourseSupport
import FeedFeature
import FeedPresentation
import Foundation
import Testing

@MainActor
@Suite("Rick and Morty App: the view")
struct RickAndMortyTests {
  private typealias Screen = FeedScreen<SeriesCharacter, CharacterViewModel>

  private let presenter = CharactersPresenter(text: english)
  private let saved = [Samples.character]
  private let latest = [Samples.character, Samples.character]

  private func screen(
    _ service: Result<[SeriesCharacter], ServiceError>, cachedAt timestamp: Date? = nil
  ) -> Screen {
    Screen(
      .characters, service: service,
      cache: timestamp.map { CachedFeed(feed: saved, timestamp: $0) }, mapper: presenter.map)
  }

  @Test(
    "Rick and Morty App: online, the latest feed is shown, and is appended to the cache",
    .course(.characters, "Image Feed, Narrative #1", "Online"))
  func online() async {
    let screen = self.screen(.success(latest), cachedAt: ago(days: 1))
    #expect(await screen.request() == Screen.shows(presenter.map(latest)))
    #expect(await screen.store.retrieve()?.feed == saved + latest)
  }

  @Test(
    "Rick and Morty App: offline, the saved feed is shown, without an error",
    .course(.characters, "Image Feed, Narrative #2", "Offline, cached characters"),
    arguments: ServiceError.allCases, [now, .distantPast])
  func offline(error: ServiceError, timestamp: Date) async {
    let screen = self.screen(.failure(error), cachedAt: timestamp)
    #expect(await screen.request() == Screen.shows(presenter.map(saved)))
  }

  @Test(
    "Rick and Morty App: offline, with an empty cache, the customer reads why",
    .course(.characters, "Image Feed, Narrative #2", "Offline, cache empty"),
    arguments: ServiceError.allCases)
  func offlineEmpty(error: ServiceError) async {
    #expect(await screen(.failure(error)).request() == Screen.shows(error))
  }
}
