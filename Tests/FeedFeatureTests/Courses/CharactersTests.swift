import CourseSupport
import FeedFeature
import Foundation
import Testing

@Suite("Rick and Morty App: the feed of characters")
struct CharactersTests {
  private let characters = Samples.characters

  @Test(
    "Rick and Morty App: online, the feed is that of the service, and is appended to the cache",
    .course(.characters, "Image Feed, Narrative #1", "Online"))
  func online() async throws {
    let old = Array(characters.prefix(1))
    let local = LocalFeed(.characters, old, savedAt: ago(days: 1))
    #expect(try await local.composed(with: LoaderStub(characters)).load() == characters)
    #expect(local.store.cache == CachedFeed(feed: old + characters, timestamp: now))
  }

  @Test(
    "Rick and Morty App: offline, the saved feed is shown, whatever its age",
    .course(.characters, "Image Feed, Narrative #2", "Offline, cached characters"),
    arguments: [ago(days: 0), ago(days: 7), .distantPast])
  func offline(timestamp: Date) async throws {
    let local = LocalFeed(.characters, characters, savedAt: timestamp)
    #expect(try await local.composed(with: LoaderStub(failing: .connectivity)).load() == characters)
    #expect(local.store.messages == [.retrieve])
  }

  @Test(
    "Rick and Morty App: offline, with an empty cache, the service's error is shown",
    .course(.characters, "Image Feed, Narrative #2", "Offline, cache empty"),
    arguments: [Failure.connectivity, .invalidData])
  func offlineEmpty(failure: Failure) async {
    let local = LocalFeed(.characters, StoreSpy<SeriesCharacter>())
    await #expect(throws: failure) {
      try await local.composed(with: LoaderStub(failing: failure)).load()
    }
  }

  @Test(
    "Rick and Morty App: a cached feed is delivered, and nothing is changed",
    .course(.characters, "Load Feed Fallback (Cache) Use Case", "Primary course"))
  func loadsCache() async throws {
    let local = LocalFeed(.characters, characters, savedAt: .distantPast)
    #expect(try await local.loader.load() == characters)
    #expect(local.store.messages == [.retrieve])
  }

  @Test(
    "Rick and Morty App: an empty cache delivers no items, and no error",
    .course(.characters, "Load Feed Fallback (Cache) Use Case", "Empty cache course"))
  func emptyCache() async throws {
    let local = LocalFeed(.characters, StoreSpy<SeriesCharacter>())
    #expect(try await local.loader.load() == [])
    #expect(local.store.messages == [.retrieve])
  }

  @Test(
    "Rick and Morty App: saving appends characters to the cache, and deletes nothing",
    .course(.characters, "Save Feed Items Use Case", "Primary course"))
  func saves() async throws {
    let local = LocalFeed(.characters, Array(characters.prefix(2)), savedAt: ago(days: 1))
    try await local.loader.save(Array(characters.suffix(2)))
    #expect(local.store.messages == [.append(Array(characters.suffix(2)), now)])
    #expect(try await local.loader.load() == characters)
  }
}
