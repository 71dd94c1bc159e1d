import FeedFeature
import Foundation
import Testing

/// Pages by the id of the last item before them (`after_id`).
private struct ImagePages: FeedPageLoader {
  var body: @Sendable (UUID?) async throws -> [FeedImage]

  func loadPage(at cursor: UUID?) async throws -> FeedPage<FeedImage, UUID> {
    FeedPage(followedByLastItemOf: try await body(cursor))
  }
}

/// Pages by the URL of the next page, which each page states (`info.next`).
private struct CharacterPages: FeedPageLoader {
  typealias Item = SeriesCharacter
  var pages: [URL?: CharacterPage]

  func loadPage(at cursor: URL?) async throws -> FeedPage<Item, URL> {
    guard let page = pages[cursor] else { throw Failure.connectivity }
    return FeedPage(page)
  }
}

extension Paginated {
  /// One more page, which has to exist.
  fileprivate func more() async throws -> Paginated {
    let loadMore = try #require(loadMore)
    return try await loadMore()
  }
}

@Suite("Pages: more of a feed, after the last item or at the next URL", .timeLimit(.minutes(10)))
struct PaginationTests {
  private typealias Images = LocalFeed<FeedImage>
  private let images = Samples.images

  /// Serves two images a page.
  private var service: ImagePages {
    ImagePages { [images] last in
      let start = last.map { id in (images.firstIndex { $0.id == id } ?? images.count) + 1 } ?? 0
      return Array(images[start...].prefix(2))
    }
  }

  private func loader(
    _ pages: ImagePages, _ local: Images, emptyFallback: EmptyFallback = .primaryError
  ) -> PaginatedFeedLoader<FeedImage, UUID> {
    PaginatedFeedLoader(pages: pages, local: local.loader, emptyFallback: emptyFallback)
  }

  @Test("each page is added to those before it, saved with them, and the last one is empty")
  func allPages() async throws {
    let local = Images(.essential, [Samples.image(9)], savedAt: ago(days: 1))
    let first = try await loader(service, local).load()
    #expect(first.items == Array(images.prefix(2)))
    #expect(local.store.cache == CachedFeed(feed: Array(images.prefix(2)), timestamp: now))

    let second = try await first.more()
    #expect(second.items == images)
    #expect(local.store.cache == CachedFeed(feed: images, timestamp: now))

    let third = try await second.more()
    #expect(third.items == images)
    #expect(third.loadMore == nil)
  }

  @Test("there is no page after an empty first page")
  func emptyFirstPage() async throws {
    let local = Images(.essential, StoreSpy())
    let page = try await loader(ImagePages { _ in [] }, local).load()
    #expect(page.items.isEmpty)
    #expect(page.loadMore == nil)
    #expect(local.store.cache == CachedFeed(feed: [], timestamp: now))
  }

  @Test("a further page resets the age of the whole cache")
  func ageIsReset() async throws {
    let store = StoreSpy(CachedFeed(feed: Array(images.prefix(2)), timestamp: ago(days: 6)))
    let local = Images(.essential, store)
    let offline = ImagePages { [service] cursor in
      guard let cursor else { throw Failure.connectivity }
      return try await service.body(cursor)
    }
    let first = try await loader(offline, local).load()
    #expect(first.items == Array(images.prefix(2)))
    _ = try await first.more()
    #expect(store.cache == CachedFeed(feed: images, timestamp: now))
  }

  @Test(
    "all items so far are delivered, even if the cache has none of them",
    arguments: [
      CachePolicy.EmptyCache.noItems, .error,
    ])
  func emptyCache(emptyCache: CachePolicy.EmptyCache) async throws {
    var policy = CachePolicy.essential
    policy.emptyCache = emptyCache
    let local = Images(policy, StoreSpy(insertionError: .insertion))
    let first = try await loader(service, local).load()
    #expect(try await first.more().items == images)

    let without = PaginatedFeedLoader(
      pages: service, local: LocalFeedLoader(store: NullStore<FeedImage>(), policy: policy))
    #expect(try await without.load().more().items == images)
  }

  @Test("items of another feed in the cache are not delivered with a further page")
  func staleCache() async throws {
    let old = CachedFeed(feed: [Samples.image(9)], timestamp: now)
    let local = Images(.essential, StoreSpy(old, deletionError: .deletion))
    let first = try await loader(service, local).load()
    #expect(try await first.more().items == images)
    #expect(local.store.cache == old)
  }

  @Test("a page that cannot be loaded is an error and saves nothing; it may be requested again")
  func pageFails() async throws {
    let failures = Notes<Int>()
    let pages = ImagePages { [service] cursor in
      if cursor != nil, failures.all.isEmpty {
        failures.add(1)
        throw Failure.connectivity
      }
      return try await service.body(cursor)
    }
    let local = Images(.essential, StoreSpy())
    let first = try await loader(pages, local).load()
    let loadMore = try #require(first.loadMore)
    await #expect(throws: Failure.connectivity) { try await loadMore() }
    #expect(local.store.cache == CachedFeed(feed: first.items, timestamp: now))
    #expect(try await loadMore().items == images)
  }

  @Test(
    "a cache that cannot be read does not prevent the delivery of a page",
    arguments: [CachePolicy.essential, .characters])
  func cacheFails(policy: CachePolicy) async throws {
    let reported = Notes<Failure?>()
    let local = Images(policy, StoreSpy(retrievalError: .retrieval))
    let first = try await PaginatedFeedLoader(
      pages: service, local: local.loader, onSaveError: { reported.add($0 as? Failure) }
    ).load()
    #expect(first.items == Array(images.prefix(2)))
    #expect(try await first.more().items == images)
    #expect(reported.all == (policy.write == .append ? [.retrieval, .retrieval] : []))
  }

  @Test("offline, the first page is the cached feed, or the service's error if there is none")
  func offline() async throws {
    let pages = ImagePages { _ in throw Failure.invalidData }
    let cached = Images(.essential, images, savedAt: ago(days: 6))
    let page = try await loader(pages, cached).load()
    #expect(page.items == images)
    await #expect(throws: Failure.invalidData) { try await page.more() }

    let expired = Images(.essential, images, savedAt: ago(days: 7))
    await #expect(throws: Failure.invalidData) { try await loader(pages, expired).load() }
    let empty = try await loader(pages, expired, emptyFallback: .delivered).load()
    #expect(empty.items.isEmpty)
    #expect(empty.loadMore == nil)
  }

  @Test("a page that cannot be saved is delivered, and the failure is reported")
  func savingFails() async throws {
    let reported = Notes<Failure?>()
    let local = Images(.essential, StoreSpy(deletionError: .deletion))
    let loader = PaginatedFeedLoader(
      pages: service, local: local.loader, onSaveError: { reported.add($0 as? Failure) })
    let first = try await loader.load()
    #expect(first.items == Array(images.prefix(2)))
    #expect(try await first.more().items == images)
    #expect(reported.all == [.deletion, .deletion])
  }

  @Test("a load that is cancelled while its page is saved delivers nothing and reports no failure")
  func cancelledWhileSaving() async throws {
    let reported = Notes<String>()
    // It is called before a page is saved.
    let local = LocalFeedLoader(
      store: StoreSpy<FeedImage>(), policy: .essential,
      currentDate: {
        withUnsafeCurrentTask { $0?.cancel() }
        return now
      })
    let loader = PaginatedFeedLoader(
      pages: service, local: local, onSaveError: { reported.add("\($0)") })
    let load = Task { try await loader.load() }
    await #expect(throws: CancellationError.self) { try await load.value }
    #expect(reported.all.isEmpty)
  }

  @Test("characters follow the URL of the next page, and each page is appended to the cache")
  func characters() async throws {
    let all = Samples.characters
    let pages = CharacterPages(pages: [
      nil: CharacterPage(characters: Array(all.prefix(1)), nextPage: Samples.url("2")),
      Samples.url("2"): CharacterPage(characters: Array(all[1...2]), nextPage: Samples.url("3")),
      Samples.url("3"): CharacterPage(characters: Array(all.suffix(1))),
    ])
    let local = LocalFeed<SeriesCharacter>(.characters, StoreSpy())
    let first = try await PaginatedFeedLoader(pages: pages, local: local.loader).load()
    let second = try await first.more()
    #expect(second.items == Array(all.prefix(3)))
    let third = try await second.more()
    #expect(third.items == all)
    #expect(third.loadMore == nil)
    #expect(local.store.cache == CachedFeed(feed: all, timestamp: now))
    #expect(!local.store.messages.contains(.delete))
  }

  @Test("at a later launch no character is shown or cached twice")
  func laterLaunch() async throws {
    let all = Samples.characters
    let pages = CharacterPages(pages: [
      nil: CharacterPage(characters: Array(all.prefix(2)), nextPage: Samples.url("2")),
      Samples.url("2"): CharacterPage(characters: Array(all.suffix(3))),
    ])
    let local = LocalFeed(.characters, [all[3], all[0]], savedAt: ago(days: 1))
    for _ in 1...2 {
      let first = try await PaginatedFeedLoader(pages: pages, local: local.loader).load()
      #expect(first.items == Array(all.prefix(2)))
      #expect(try await first.more().items == all)
      let cached = CachedFeed(feed: [all[3], all[0], all[1], all[2]], timestamp: now)
      #expect(local.store.cache == cached)
    }
  }

  @Test("a further page of an old load does not change a refreshed cache")
  func overtaken() async throws {
    let (requested, delivered) = (Door(), Door())
    let refreshed = Notes<Void>()
    let pages = ImagePages { [images] cursor in
      guard cursor != nil else {
        return refreshed.all.isEmpty ? Array(images.prefix(2)) : [Samples.image(9)]
      }
      requested.open()
      try await delivered.pass()
      return Array(images.suffix(2))
    }
    let local = Images(.essential, StoreSpy())
    let loader = loader(pages, local)
    let first = try await loader.load()
    let more = Task { try await first.more() }
    try await requested.pass()
    refreshed.add(())
    _ = try await loader.load()
    delivered.open()
    #expect(try await more.value.items == images)
    #expect(local.store.cache == CachedFeed(feed: [Samples.image(9)], timestamp: now))
  }

  @Test("a late page does not replace the pages after it in the cache")
  func late() async throws {
    let (requested, delivered) = (Door(), Door())
    let requests = Notes<Void>()
    let pages = ImagePages { [images] cursor in
      let place = images.firstIndex { $0.id == cursor }
      if place == 0, requests.all.isEmpty {
        requests.add(())
        requested.open()
        try await delivered.pass()
      }
      return Array(images[((place ?? -1) + 1)...].prefix(1))
    }
    let local = Images(.essential, StoreSpy())
    let first = try await loader(pages, local).load()
    let late = Task { try await first.more() }
    try await requested.pass()
    let third = try await first.more().more()
    let all = Array(images.prefix(3))
    #expect(third.items == all)
    delivered.open()
    let second = try await late.value
    #expect(second.items == Array(images.prefix(2)))
    #expect(local.store.cache == CachedFeed(feed: all, timestamp: now))
  }

  @Test("a page that was already loaded is refused, because the pages form a cycle")
  func circle() async throws {
    let all = Samples.characters
    let pages = CharacterPages(pages: [
      nil: CharacterPage(characters: Array(all.prefix(1)), nextPage: Samples.url("2")),
      Samples.url("2"): CharacterPage(characters: Array(all[1...2]), nextPage: Samples.url("3")),
      Samples.url("3"): CharacterPage(characters: Array(all.suffix(1)), nextPage: Samples.url("2")),
    ])
    let local = LocalFeed<SeriesCharacter>(.characters, StoreSpy())
    let first = try await PaginatedFeedLoader(pages: pages, local: local.loader).load()
    let last = try await first.more().more()
    #expect(last.items == all)
    for _ in 1...2 {
      let error = await #expect(throws: PaginationError.circle) { try await last.more() }
      #expect(error?.isConnectivityFailure == false)
    }
    #expect(local.store.cache?.feed == all)
  }

  @Test("a cancelled further page is not saved, even if the service ignores the cancellation")
  func cancelled() async throws {
    let (requested, delivered) = (Door(), Door())
    let pages = ImagePages { [images] cursor in
      guard cursor != nil else { return Array(images.prefix(2)) }
      requested.open()
      await Task { try? await delivered.pass() }.value
      return Array(images.suffix(2))
    }
    let local = Images(.essential, StoreSpy())
    let first = try await loader(pages, local).load()
    let more = Task { try await first.more() }
    try await requested.pass()
    more.cancel()
    delivered.open()
    await #expect(throws: CancellationError.self) { try await more.value }
    #expect(local.store.cache == CachedFeed(feed: first.items, timestamp: now))
  }

  @Test("offline, cached characters have no next page")
  func charactersOffline() async throws {
    let local = LocalFeed(.characters, Samples.characters, savedAt: ago(days: 100))
    let pages = CharacterPages(pages: [:])
    let page = try await PaginatedFeedLoader(pages: pages, local: local.loader).load()
    #expect(page.items == Samples.characters)
    #expect(page.loadMore == nil)
  }
}
