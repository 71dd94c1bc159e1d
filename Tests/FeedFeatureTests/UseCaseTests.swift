import FeedFeature
import Foundation
import Testing

@Suite("Local feed: beyond the courses", .timeLimit(.minutes(10)))
struct LocalFeedTests {
  private let images = Samples.images

  @Test("an empty feed is a cache like any other")
  func emptyFeed() async throws {
    let policy = CachePolicy(maximumAge: .days(7), emptyCache: .error)
    let local = LocalFeed<FeedImage>(policy, [], savedAt: ago(days: 1))
    #expect(try await local.loader.load() == [])
    try await local.loader.validateCache()
    #expect(local.store.messages == [.retrieve, .retrieve])
  }

  @Test("the reason for an empty result is an error if the policy requires one")
  func reasons() async {
    let policy = CachePolicy(maximumAge: .days(7), emptyCache: .error)
    let empty = LocalFeed(policy, StoreSpy<FeedImage>())
    await #expect(throws: LocalFeedError.empty) { try await empty.loader.load() }
    let expired = LocalFeed(policy, images, savedAt: ago(days: 7))
    await #expect(throws: LocalFeedError.expired) { try await expired.loader.load() }
  }

  @Test("a store whose type is known only at run time is used like any other")
  func anyStore() async throws {
    let stores: [any FeedStore<FeedImage>] = [
      StoreSpy<FeedImage>(), InMemoryFeedStore<FeedImage>(), NullStore<FeedImage>(),
    ]
    for (store, count) in zip(stores, [images.count, images.count, 0]) {
      let local = LocalFeedLoader(store: store)
      try await local.save(images)
      #expect(try await local.load().count == count)
      let pages = PaginatedFeedLoader(pages: NoPages(), local: local)
      #expect(((try? await pages.load())?.items.count ?? 0) == count)
    }
  }

  private struct NoPages: FeedPageLoader {
    func loadPage(at cursor: UUID?) async throws -> FeedPage<FeedImage, UUID> {
      throw Failure.connectivity
    }
  }

  @Test("a load that cannot delete an expired cache still delivers no items")
  func deletionOnLoadFails() async throws {
    let cache = CachedFeed(feed: images, timestamp: ago(days: 7))
    let local = LocalFeed(.feed2020, StoreSpy(cache, deletionError: .deletion))
    #expect(try await local.loader.load() == [])
    #expect(local.store.cache == cache)
  }

  @Test("a validation that cannot delete an expired cache throws the store's error")
  func deletionOnValidationFails() async {
    let cache = CachedFeed(feed: images, timestamp: ago(days: 7))
    let local = LocalFeed(.essential, StoreSpy(cache, deletionError: .deletion))
    await #expect(throws: Failure.deletion) { try await local.loader.validateCache() }
  }

  @Test("a validation without a cache deletes nothing")
  func validateNothing() async throws {
    let local = LocalFeed(.essential, StoreSpy<FeedImage>())
    try await local.loader.validateCache()
    #expect(local.store.messages == [.retrieve])
  }

  @Test("a failure to append characters is an error, and the cache is unchanged")
  func appendingFails() async {
    let cache = CachedFeed(feed: Samples.characters, timestamp: ago(days: 1))
    let local = LocalFeed(.characters, StoreSpy(cache, insertionError: .insertion))
    await #expect(throws: Failure.insertion) { try await local.loader.save(Samples.characters) }
    #expect(local.store.cache == cache)
  }

  @Test("a store without its own append receives the longer feed")
  func appendByDefault() async throws {
    let store = MinimalStore()
    let loader = LocalFeedLoader(store: store, policy: .characters, currentDate: { now })
    try await loader.save(Array(Samples.characters.prefix(1)))
    try await loader.save(Array(Samples.characters.dropFirst()))
    #expect(try await loader.load() == Samples.characters)
  }

  @Test("a validation never deletes a feed that was saved while it read the old cache")
  func validatingAndSaving() async throws {
    let looking = Door()
    let goOn = Door()
    let store = SlowStore(
      CachedFeed(feed: images, timestamp: ago(days: 7)), looking: looking, goOn: goOn)
    let loader = LocalFeedLoader(store: store, policy: .essential, currentDate: { now })
    async let validation: Void = loader.validateCache()
    try await looking.pass()
    async let saving: Void = loader.save(images)
    // Gives an incorrect save, which does not wait, the time to end.
    for _ in 0..<1000 { await Task.yield() }
    goOn.open()
    _ = try await (validation, saving)
    #expect(await store.retrieve() == CachedFeed(feed: images, timestamp: now))
  }

  @Test("a load that is cancelled delivers neither the cached feed nor the store's error")
  func cancelled() async {
    let reached = Door()
    let store = BlockedStore(reached: reached)
    for policy in [CachePolicy.essential, CachePolicy.feed2020] {
      let loader = LocalFeedLoader(store: store, policy: policy, currentDate: { now })
      let load = Task { try await loader.load() }
      try? await reached.pass()
      load.cancel()
      await #expect(throws: CancellationError.self) { try await load.value }
    }
  }

  @Test("the errors of local loaders have descriptions")
  func descriptions() {
    #expect("\(LocalFeedError.empty)".contains("no cached feed"))
    #expect("\(LocalFeedError.expired)".contains("too old"))
    #expect("\(LocalFeedImageDataLoader.LoadError.failed(Failure.retrieval))".contains("retrieval"))
    #expect("\(LocalFeedImageDataLoader.LoadError.notFound)".contains("not cached"))
    #expect("\(LocalFeedImageDataLoader.SaveError.failed(Failure.insertion))".contains("insertion"))
  }
}

/// Implements only the required methods of a store.
private actor MinimalStore: FeedStore {
  private var cache: CachedFeed<SeriesCharacter>?
  func retrieve() -> CachedFeed<SeriesCharacter>? { cache }
  func insert(_ feed: [SeriesCharacter], timestamp: Date) {
    cache = CachedFeed(feed: feed, timestamp: timestamp)
  }
  func deleteCachedFeed() { cache = nil }
}

/// Reads its cache, and returns it when a test permits that.
private actor SlowStore: FeedStore {
  private var cache: CachedFeed<FeedImage>?
  private let looking: Door
  private let goOn: Door

  init(_ cache: CachedFeed<FeedImage>, looking: Door, goOn: Door) {
    self.cache = cache
    self.looking = looking
    self.goOn = goOn
  }

  func retrieve() async -> CachedFeed<FeedImage>? {
    let found = cache
    looking.open()
    try? await goOn.pass()
    return found
  }

  func insert(_ feed: [FeedImage], timestamp: Date) {
    cache = CachedFeed(feed: feed, timestamp: timestamp)
  }

  func deleteCachedFeed() { cache = nil }
}

/// Returns only after a cancellation.
private struct BlockedStore: FeedStore {
  let reached: Door

  func retrieve() async -> CachedFeed<FeedImage>? {
    reached.open()
    try? await Door().pass()
    return CachedFeed(feed: Samples.images, timestamp: now)
  }

  func insert(_ feed: [FeedImage], timestamp: Date) {}
  func deleteCachedFeed() {}
}

@Suite("Details of an item of a feed")
struct FeedDetailTests {
  @Test("an item of each kind is found by its key")
  func eachKind() async throws {
    try await expectDetails(Samples.universities, by: \.name)
    try await expectDetails(Samples.images, by: \.id)
    try await expectDetails(Samples.comments, by: \.id)
    try await expectDetails(Samples.characters, by: \.name)
    try await expectDetails(Samples.articles, by: \.url)
  }

  private func expectDetails<Item: Sendable & Equatable, Key: Hashable & Sendable>(
    _ feed: [Item], by key: any KeyPath<Item, Key> & Sendable
  ) async throws {
    let details = FeedDetailLoader(in: InMemoryFeedLoader(feed), by: { $0[keyPath: key] })
    for item in feed {
      #expect(try await details.loadDetail(for: item[keyPath: key]) == item)
    }
  }

  @Test("of several items with one key the first is delivered")
  func duplicates() async throws {
    let details = FeedDetailLoader(in: InMemoryFeedLoader(Samples.universities), by: \.country)
    #expect(try await details.loadDetail(for: "Country") == Samples.universities[0])
  }

  @Test("a key that no item has is not found")
  func notFound() async {
    let details = FeedDetailLoader(in: InMemoryFeedLoader(Samples.images), by: \.id)
    await #expect(throws: DetailError.notFound) {
      try await details.loadDetail(for: Samples.image(9).id)
    }
  }

  @Test("a feed that cannot be loaded has no details, for the same reason")
  func feedFails() async {
    let feed = LoaderStub<FeedImage>(failing: .connectivity)
    let details = FeedDetailLoader(in: feed, by: \.id)
    await #expect(throws: Failure.connectivity) {
      try await details.loadDetail(for: Samples.image(1).id)
    }
  }
}
