import CourseSupport
import FeedFeature
import Foundation
import Testing

@Suite("ListApp: the feed of universities")
struct UniversitiesTests {
  private let universities = Samples.universities

  @Test(
    "ListApp: online, the feed is that of the service, and replaces the cache",
    .course(.universities, "Feed, Narrative #1", "Online"))
  func online() async throws {
    let old = Array(universities.prefix(1))
    let local = LocalFeed(.universities, old, savedAt: ago(days: 1))
    #expect(try await local.composed(with: LoaderStub(universities)).load() == universities)
    #expect(local.store.cache == CachedFeed(feed: universities, timestamp: now))
  }

  @Test(
    "ListApp: offline, the saved feed is shown, whatever its age",
    .course(.universities, "Feed, Narrative #2", "Offline, cached feed"),
    arguments: [ago(days: 0), ago(days: 7), .distantPast])
  func offline(timestamp: Date) async throws {
    let local = LocalFeed(.universities, universities, savedAt: timestamp)
    #expect(
      try await local.composed(with: LoaderStub(failing: .connectivity)).load() == universities)
    #expect(local.store.messages == [.retrieve])
  }

  @Test(
    "ListApp: offline, with an empty cache, the service's error is shown",
    .course(.universities, "Feed, Narrative #2", "Offline, cache empty"),
    arguments: [Failure.connectivity, .invalidData])
  func offlineEmpty(failure: Failure) async {
    let local = LocalFeed(.universities, StoreSpy<University>())
    await #expect(throws: failure) {
      try await local.composed(with: LoaderStub(failing: failure)).load()
    }
  }

  @Test(
    "ListApp: a cached feed is delivered, and nothing is changed",
    .course(.universities, "Load(Retrieve) Feed From Cache Use Case", "Primary course"))
  func loadsCache() async throws {
    let local = LocalFeed(.universities, universities, savedAt: .distantPast)
    #expect(try await local.loader.load() == universities)
    #expect(local.store.messages == [.retrieve])
  }

  @Test(
    "ListApp: a cache that cannot be retrieved gives the store's error, and stays",
    .course(.universities, "Load(Retrieve) Feed From Cache Use Case", "Retrieval error course"))
  func retrievalError() async {
    let local = LocalFeed(.universities, StoreSpy<University>(retrievalError: .retrieval))
    await #expect(throws: Failure.retrieval) { try await local.loader.load() }
    #expect(local.store.messages == [.retrieve])
  }

  @Test(
    "ListApp: an empty cache delivers no items, and no error",
    .course(.universities, "Load(Retrieve) Feed From Cache Use Case", "Empty cache course"))
  func emptyCache() async throws {
    let local = LocalFeed(.universities, StoreSpy<University>())
    #expect(try await local.loader.load() == [])
    #expect(local.store.messages == [.retrieve])
  }

  @Test(
    "ListApp: saving deletes the old cache, then inserts the feed with the present time",
    .course(.universities, "Cache(Save) Feed Use Case", "Primary course"))
  func saves() async throws {
    let local = LocalFeed(.universities, universities.reversed(), savedAt: ago(days: 1))
    try await local.loader.save(universities)
    #expect(local.store.messages == [.delete, .insert(universities, now)])
    #expect(local.store.cache == CachedFeed(feed: universities, timestamp: now))
  }

  @Test(
    "ListApp: if the old cache cannot be deleted nothing is inserted",
    .course(.universities, "Cache(Save) Feed Use Case", "Deleting error course"))
  func deletingError() async {
    let local = LocalFeed(.universities, StoreSpy<University>(deletionError: .deletion))
    await #expect(throws: Failure.deletion) { try await local.loader.save(universities) }
    #expect(local.store.messages == [.delete])
  }

  @Test(
    "ListApp: if the feed cannot be inserted, its error is thrown, and the old cache is deleted",
    .course(.universities, "Cache(Save) Feed Use Case", "Saving error course"))
  func savingError() async {
    let old = CachedFeed(feed: universities, timestamp: ago(days: 1))
    let local = LocalFeed(.universities, StoreSpy(old, insertionError: .insertion))
    await #expect(throws: Failure.insertion) { try await local.loader.save(universities) }
    #expect(local.store.cache == nil)
  }

  @Test(
    "ListApp: from the feed view, the details of an item of the feed are shown",
    .course(.universities, "Detail View, Narrative", "On the feed view"))
  func showsDetail() async throws {
    let shown = try await LocalFeed(.universities, universities, savedAt: now).loader.load()
    let details = FeedDetailLoader(in: InMemoryFeedLoader(shown), by: \.name)
    #expect(try await details.loadDetail(for: "University 2") == universities[1])
  }

  @Test(
    "ListApp: details come only from the shown feed",
    .course(.universities, "Detail view Use Case", "Primary course"))
  func detailFromFeed() async throws {
    let details = FeedDetailLoader(in: InMemoryFeedLoader(universities), by: \.self)
    for university in universities {
      #expect(try await details.loadDetail(for: university) == university)
    }
  }
}
