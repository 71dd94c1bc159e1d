import CourseSupport
import FeedFeature
import Foundation
import Testing

@Suite("Essential App: the feed of images")
struct EssentialFeedTests {
  private let images = Samples.images

  @Test(
    "Essential App: online, the feed is that of the service, and replaces the cache",
    .course(.essential, "Image Feed, Narrative #1", "Online"))
  func online() async throws {
    let old = Array(images.prefix(1))
    let local = LocalFeed(.essential, old, savedAt: ago(days: 1))
    #expect(try await local.composed(with: LoaderStub(images)).load() == images)
    #expect(local.store.cache == CachedFeed(feed: images, timestamp: now))
  }

  @Test(
    "Essential App: offline, a feed saved less than seven days ago is shown",
    .course(.essential, "Image Feed, Narrative #2", "Offline, cache less than seven days old"),
    arguments: [Failure.connectivity, .invalidData])
  func offline(failure: Failure) async throws {
    let local = LocalFeed(.essential, images, savedAt: ago(days: 7, seconds: -1))
    #expect(try await local.composed(with: LoaderStub(failing: failure)).load() == images)
    #expect(local.store.messages == [.retrieve])
  }

  @Test(
    "Essential App: offline, with a feed saved seven days ago or more, the service's error is shown",
    .course(.essential, "Image Feed, Narrative #2", "Offline, cache seven days old or more"),
    arguments: [Failure.connectivity, .invalidData])
  func offlineExpired(failure: Failure) async {
    let local = LocalFeed(.essential, images, savedAt: ago(days: 7))
    await #expect(throws: failure) {
      try await local.composed(with: LoaderStub(failing: failure)).load()
    }
  }

  @Test(
    "Essential App: offline, with an empty cache, the service's error is shown",
    .course(.essential, "Image Feed, Narrative #2", "Offline, cache empty"),
    arguments: [Failure.connectivity, .invalidData])
  func offlineEmpty(failure: Failure) async {
    let local = LocalFeed(.essential, StoreSpy<FeedImage>())
    await #expect(throws: failure) {
      try await local.composed(with: LoaderStub(failing: failure)).load()
    }
  }

  @Test(
    "Essential App: a cached feed is delivered, and nothing is changed",
    .course(.essential, "Load Feed From Cache Use Case", "Primary course"))
  func loadsCache() async throws {
    let local = LocalFeed(.essential, images, savedAt: ago(days: 7, seconds: -1))
    #expect(try await local.loader.load() == images)
    #expect(local.store.messages == [.retrieve])
  }

  @Test(
    "Essential App: a cache that cannot be retrieved gives the store's error, and stays",
    .course(.essential, "Load Feed From Cache Use Case", "Retrieval error course"))
  func retrievalError() async {
    let local = LocalFeed(.essential, StoreSpy<FeedImage>(retrievalError: .retrieval))
    await #expect(throws: Failure.retrieval) { try await local.loader.load() }
    #expect(local.store.messages == [.retrieve])
  }

  @Test(
    "Essential App: a cache of seven days or more delivers no items, and stays",
    .course(.essential, "Load Feed From Cache Use Case", "Expired cache course"),
    arguments: [ago(days: 7), ago(days: 7, seconds: 1), ago(days: 100), .distantPast])
  func expired(timestamp: Date) async throws {
    let local = LocalFeed(.essential, images, savedAt: timestamp)
    #expect(try await local.loader.load() == [])
    #expect(local.store.messages == [.retrieve])
  }

  @Test(
    "Essential App: an empty cache delivers no items, and no error",
    .course(.essential, "Load Feed From Cache Use Case", "Empty cache course"))
  func emptyCache() async throws {
    let local = LocalFeed(.essential, StoreSpy<FeedImage>())
    #expect(try await local.loader.load() == [])
    #expect(local.store.messages == [.retrieve])
  }

  @Test(
    "Essential App: saving deletes the old cache, then inserts the feed with the present time",
    .course(.essential, "Cache Feed Use Case", "Primary course"))
  func saves() async throws {
    let local = LocalFeed(.essential, images.reversed(), savedAt: ago(days: 1))
    try await local.loader.save(images)
    #expect(local.store.messages == [.delete, .insert(images, now)])
    #expect(local.store.cache == CachedFeed(feed: images, timestamp: now))
  }

  @Test(
    "Essential App: if the old cache cannot be deleted nothing is inserted",
    .course(.essential, "Cache Feed Use Case", "Deleting error course"))
  func deletingError() async {
    let local = LocalFeed(.essential, StoreSpy<FeedImage>(deletionError: .deletion))
    await #expect(throws: Failure.deletion) { try await local.loader.save(images) }
    #expect(local.store.messages == [.delete])
  }

  @Test(
    "Essential App: if the feed cannot be inserted, its error is thrown, and the old cache is deleted",
    .course(.essential, "Cache Feed Use Case", "Saving error course"))
  func savingError() async {
    let old = CachedFeed(feed: images, timestamp: ago(days: 1))
    let local = LocalFeed(.essential, StoreSpy(old, insertionError: .insertion))
    await #expect(throws: Failure.insertion) { try await local.loader.save(images) }
    #expect(local.store.cache == nil)
  }

  @Test(
    "Essential App: validating keeps a cache that is less than seven days old",
    .course(.essential, "Validate Feed Cache Use Case", "Primary course"))
  func validates() async throws {
    let local = LocalFeed(.essential, images, savedAt: ago(days: 7, seconds: -1))
    try await local.loader.validateCache()
    #expect(local.store.messages == [.retrieve])
  }

  @Test(
    "Essential App: validating deletes a cache that cannot be retrieved",
    .course(.essential, "Validate Feed Cache Use Case", "Retrieval error course"))
  func validatesUnreadable() async throws {
    let local = LocalFeed(.essential, StoreSpy<FeedImage>(retrievalError: .retrieval))
    try await local.loader.validateCache()
    #expect(local.store.messages == [.retrieve, .delete])
  }

  @Test(
    "Essential App: validating deletes a cache of seven days or more",
    .course(.essential, "Validate Feed Cache Use Case", "Expired cache course"),
    arguments: [ago(days: 7), ago(days: 7, seconds: 1), .distantPast])
  func validatesExpired(timestamp: Date) async throws {
    let local = LocalFeed(.essential, images, savedAt: timestamp)
    try await local.loader.validateCache()
    #expect(local.store.messages == [.retrieve, .delete])
  }
}
