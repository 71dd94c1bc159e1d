import CourseSupport
import FeedFeature
import Foundation
import Testing

@Suite("EssentialNews: the feed of articles")
struct NewsFeedTests {
  private let articles = Samples.articles

  @Test(
    "EssentialNews: online, the feed is that of the service, and replaces the cache",
    .course(.news, "News Feed, Narrative #1", "Online"))
  func online() async throws {
    let old = Array(articles.prefix(1))
    let local = LocalFeed(.news, old, savedAt: ago(days: 1))
    #expect(try await local.composed(with: LoaderStub(articles)).load() == articles)
    #expect(local.store.cache == CachedFeed(feed: articles, timestamp: now))
  }

  @Test(
    "EssentialNews: offline, a feed saved less than seven days ago is shown",
    .course(.news, "News Feed, Narrative #2", "Offline, cache less than seven days old"),
    arguments: [Failure.connectivity, .invalidData])
  func offline(failure: Failure) async throws {
    let local = LocalFeed(.news, articles, savedAt: ago(days: 7, seconds: -1))
    #expect(try await local.composed(with: LoaderStub(failing: failure)).load() == articles)
    #expect(local.store.messages == [.retrieve])
  }

  @Test(
    "EssentialNews: offline, with a feed saved seven days ago or more, the service's error is shown",
    .course(.news, "News Feed, Narrative #2", "Offline, cache seven days old or more"),
    arguments: [Failure.connectivity, .invalidData])
  func offlineExpired(failure: Failure) async {
    let local = LocalFeed(.news, articles, savedAt: ago(days: 7))
    await #expect(throws: failure) {
      try await local.composed(with: LoaderStub(failing: failure)).load()
    }
  }

  @Test(
    "EssentialNews: offline, with an empty cache, the service's error is shown",
    .course(.news, "News Feed, Narrative #2", "Offline, cache empty"),
    arguments: [Failure.connectivity, .invalidData])
  func offlineEmpty(failure: Failure) async {
    let local = LocalFeed(.news, StoreSpy<Article>())
    await #expect(throws: failure) {
      try await local.composed(with: LoaderStub(failing: failure)).load()
    }
  }

  @Test(
    "EssentialNews: a cached feed is delivered, and nothing is changed",
    .course(.news, "Load Feed From Cache Use Case", "Primary course"))
  func loadsCache() async throws {
    let local = LocalFeed(.news, articles, savedAt: ago(days: 7, seconds: -1))
    #expect(try await local.loader.load() == articles)
    #expect(local.store.messages == [.retrieve])
  }

  @Test(
    "EssentialNews: a cache that cannot be retrieved gives the store's error, and stays",
    .course(.news, "Load Feed From Cache Use Case", "Retrieval error course"))
  func retrievalError() async {
    let local = LocalFeed(.news, StoreSpy<Article>(retrievalError: .retrieval))
    await #expect(throws: Failure.retrieval) { try await local.loader.load() }
    #expect(local.store.messages == [.retrieve])
  }

  @Test(
    "EssentialNews: a cache of seven days or more delivers no items, and stays",
    .course(.news, "Load Feed From Cache Use Case", "Expired cache course"),
    arguments: [ago(days: 7), ago(days: 7, seconds: 1), ago(days: 100), .distantPast])
  func expired(timestamp: Date) async throws {
    let local = LocalFeed(.news, articles, savedAt: timestamp)
    #expect(try await local.loader.load() == [])
    #expect(local.store.messages == [.retrieve])
  }

  @Test(
    "EssentialNews: an empty cache delivers no items, and no error",
    .course(.news, "Load Feed From Cache Use Case", "Empty cache course"))
  func emptyCache() async throws {
    let local = LocalFeed(.news, StoreSpy<Article>())
    #expect(try await local.loader.load() == [])
    #expect(local.store.messages == [.retrieve])
  }

  @Test(
    "EssentialNews: saving deletes the old cache, then inserts the feed with the present time",
    .course(.news, "Cache Feed Use Case", "Primary course"))
  func saves() async throws {
    let local = LocalFeed(.news, articles.reversed(), savedAt: ago(days: 1))
    try await local.loader.save(articles)
    #expect(local.store.messages == [.delete, .insert(articles, now)])
    #expect(local.store.cache == CachedFeed(feed: articles, timestamp: now))
  }

  @Test(
    "EssentialNews: if the old cache cannot be deleted nothing is inserted",
    .course(.news, "Cache Feed Use Case", "Deleting error course"))
  func deletingError() async {
    let local = LocalFeed(.news, StoreSpy<Article>(deletionError: .deletion))
    await #expect(throws: Failure.deletion) { try await local.loader.save(articles) }
    #expect(local.store.messages == [.delete])
  }

  @Test(
    "EssentialNews: if the feed cannot be inserted, its error is thrown, and the old cache is deleted",
    .course(.news, "Cache Feed Use Case", "Saving error course"))
  func savingError() async {
    let old = CachedFeed(feed: articles, timestamp: ago(days: 1))
    let local = LocalFeed(.news, StoreSpy(old, insertionError: .insertion))
    await #expect(throws: Failure.insertion) { try await local.loader.save(articles) }
    #expect(local.store.cache == nil)
  }

  @Test(
    "EssentialNews: validating keeps a cache that is less than seven days old",
    .course(.news, "Validate Articles Feed Cache Use Case", "Primary course"))
  func validates() async throws {
    let local = LocalFeed(.news, articles, savedAt: ago(days: 7, seconds: -1))
    try await local.loader.validateCache()
    #expect(local.store.messages == [.retrieve])
  }

  @Test(
    "EssentialNews: validating deletes a cache that cannot be retrieved",
    .course(.news, "Validate Articles Feed Cache Use Case", "Retrieval error course"))
  func validatesUnreadable() async throws {
    let local = LocalFeed(.news, StoreSpy<Article>(retrievalError: .retrieval))
    try await local.loader.validateCache()
    #expect(local.store.messages == [.retrieve, .delete])
  }

  @Test(
    "EssentialNews: validating deletes a cache of seven days or more",
    .course(.news, "Validate Articles Feed Cache Use Case", "Expired cache course"),
    arguments: [ago(days: 7), ago(days: 7, seconds: 1), .distantPast])
  func validatesExpired(timestamp: Date) async throws {
    let local = LocalFeed(.news, articles, savedAt: timestamp)
    try await local.loader.validateCache()
    #expect(local.store.messages == [.retrieve, .delete])
  }
}
