import CourseSupport
import FeedFeature
import Foundation
import Testing

@Suite("Essential Feed App, 2020: the feed of images")
struct Feed2020Tests {
  private let images = Samples.images

  @Test(
    "Essential Feed App, 2020: online, the feed is that of the service, and replaces the cache",
    .course(.feed2020, "Image Feed, Narrative #1", "Online"))
  func online() async throws {
    let old = Array(images.prefix(1))
    let local = LocalFeed(.feed2020, old, savedAt: ago(days: 1))
    #expect(try await local.composed(with: LoaderStub(images)).load() == images)
    #expect(local.store.cache == CachedFeed(feed: images, timestamp: now))
  }

  @Test(
    "Essential Feed App, 2020: offline, a feed saved less than seven days ago is shown",
    .course(.feed2020, "Image Feed, Narrative #2", "Offline, cache less than seven days old"),
    arguments: [Failure.connectivity, .invalidData])
  func offline(failure: Failure) async throws {
    let local = LocalFeed(.feed2020, images, savedAt: ago(days: 7, seconds: -1))
    #expect(try await local.composed(with: LoaderStub(failing: failure)).load() == images)
    #expect(local.store.messages == [.retrieve])
  }

  @Test(
    "Essential Feed App, 2020: offline, with a feed saved seven days ago or more, the service's error is shown",
    .course(.feed2020, "Image Feed, Narrative #2", "Offline, cache seven days old or more"),
    arguments: [Failure.connectivity, .invalidData])
  func offlineExpired(failure: Failure) async {
    let local = LocalFeed(.feed2020, images, savedAt: ago(days: 7))
    await #expect(throws: failure) {
      try await local.composed(with: LoaderStub(failing: failure)).load()
    }
  }

  @Test(
    "Essential Feed App, 2020: offline, with an empty cache, the service's error is shown",
    .course(.feed2020, "Image Feed, Narrative #2", "Offline, cache empty"),
    arguments: [Failure.connectivity, .invalidData])
  func offlineEmpty(failure: Failure) async {
    let local = LocalFeed(.feed2020, StoreSpy<FeedImage>())
    await #expect(throws: failure) {
      try await local.composed(with: LoaderStub(failing: failure)).load()
    }
  }

  @Test(
    "Essential Feed App, 2020: a cached feed is delivered, and nothing is changed",
    .course(.feed2020, "Load Feed From Cache Use Case", "Primary course"))
  func loadsCache() async throws {
    let local = LocalFeed(.feed2020, images, savedAt: ago(days: 7, seconds: -1))
    #expect(try await local.loader.load() == images)
    #expect(local.store.messages == [.retrieve])
  }

  @Test(
    "Essential Feed App, 2020: a cache that cannot be retrieved gives the store's error, and stays",
    .course(.feed2020, "Load Feed From Cache Use Case", "Error course"))
  func retrievalError() async {
    let local = LocalFeed(.feed2020, StoreSpy<FeedImage>(retrievalError: .retrieval))
    await #expect(throws: Failure.retrieval) { try await local.loader.load() }
    #expect(local.store.messages == [.retrieve])
  }

  @Test(
    "Essential Feed App, 2020: a cache of seven days or more is deleted and delivers nothing",
    .course(.feed2020, "Load Feed From Cache Use Case", "Expired cache course"),
    arguments: [ago(days: 7), ago(days: 7, seconds: 1), ago(days: 100), .distantPast])
  func expired(timestamp: Date) async throws {
    let local = LocalFeed(.feed2020, images, savedAt: timestamp)
    #expect(try await local.loader.load() == [])
    #expect(local.store.messages == [.retrieve, .delete])
  }

  @Test(
    "Essential Feed App, 2020: an empty cache delivers no items, and no error",
    .course(.feed2020, "Load Feed From Cache Use Case", "Empty cache course"))
  func emptyCache() async throws {
    let local = LocalFeed(.feed2020, StoreSpy<FeedImage>())
    #expect(try await local.loader.load() == [])
    #expect(local.store.messages == [.retrieve])
  }

  @Test(
    "Essential Feed App, 2020: saving deletes the old cache, then inserts the feed with the present time",
    .course(.feed2020, "Cache Feed Use Case", "Primary course"))
  func saves() async throws {
    let local = LocalFeed(.feed2020, images.reversed(), savedAt: ago(days: 1))
    try await local.loader.save(images)
    #expect(local.store.messages == [.delete, .insert(images, now)])
    #expect(local.store.cache == CachedFeed(feed: images, timestamp: now))
  }

  @Test(
    "Essential Feed App, 2020: if the old cache cannot be deleted nothing is inserted",
    .course(.feed2020, "Cache Feed Use Case", "Deleting error course"))
  func deletingError() async {
    let local = LocalFeed(.feed2020, StoreSpy<FeedImage>(deletionError: .deletion))
    await #expect(throws: Failure.deletion) { try await local.loader.save(images) }
    #expect(local.store.messages == [.delete])
  }

  @Test(
    "Essential Feed App, 2020: if the feed cannot be inserted, its error is thrown, and the old cache is deleted",
    .course(.feed2020, "Cache Feed Use Case", "Saving error course"))
  func savingError() async {
    let old = CachedFeed(feed: images, timestamp: ago(days: 1))
    let local = LocalFeed(.feed2020, StoreSpy(old, insertionError: .insertion))
    await #expect(throws: Failure.insertion) { try await local.loader.save(images) }
    #expect(local.store.cache == nil)
  }
}
