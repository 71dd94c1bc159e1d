import FeedFeature
import FeedStoreContract
import Foundation
import Testing

@Suite("Store contract: stores in memory")
struct InMemoryContractTests {
  private static let feed = FeedStoreSpecs(feed: Samples.images) { InMemoryFeedStore() }
  private static let shared = FeedStoreSpecs(feed: Samples.images) {
    InMemoryFeedStore()
  } reopen: {
    $0
  }
  private static let images = FeedImageDataStoreSpecs {
    InMemoryImageDataStore()
  } reopen: {
    $0
  }

  @Test("a feed store in memory follows the contract", arguments: feed.rules)
  func feedStore(rule: ContractRule) async throws { try await rule.verify() }

  @Test("two users of one store in memory see each other's changes")
  func sharedStore() async throws { try await Self.shared.rules.verify() }

  @Test("an image store in memory follows the contract", arguments: images.rules)
  func imageStore(rule: ContractRule) async throws { try await rule.verify() }

  @Test("a store that fails without a change follows the contract of failing stores")
  func failingStore() async throws {
    let cache = CachedFeed(feed: Samples.images, timestamp: now)
    let specs = FailableFeedStoreSpecs(feed: Samples.images) {
      StoreSpy(cache, retrievalError: .retrieval)
    } failingToInsert: {
      StoreSpy(cache, insertionError: .insertion)
    } failingToDelete: {
      StoreSpy(cache, deletionError: .deletion)
    }
    #expect(specs.rules.count == 3)
    try await specs.rules.verify()
  }

  @Test("the null store fails no call, and is always empty")
  func nullStore() async throws {
    let store = NullStore<FeedImage>()
    store.insert(Samples.images, timestamp: now)
    await store.append(Samples.images, timestamp: now)
    #expect(store.retrieve() == nil)
    store.deleteCachedFeed()
    store.insert(Data([1]), for: Samples.url("image"))
    #expect(store.retrieve(dataForURL: Samples.url("image")) == nil)
    let local = LocalFeedLoader(store: store)
    try await local.save(Samples.images)
    #expect(try await local.load() == [])
  }
}

/// The contract is useful only if incorrect stores violate it.
@Suite("Store contract: stores that violate it")
struct BrokenStoreTests {
  @Test(
    "a feed store that violates a rule is detected",
    arguments: [
      (BrokenStore.Fault.forgetsSplitSeconds, "a timestamp keeps all of its bits"),
      (.countsSecondsFrom1970, "a timestamp keeps all of its bits"),
      (.takesEmptyForMissing, "an empty feed is a cache"),
      (.mergesEqualItems, "items keep their order, and equal items their number"),
      (.sortsItems, "every retrieval returns the feed that was inserted"),
      (.keepsOldItems, "an insertion replaces the whole cache"),
      (
        .keepsNewestTimestamp,
        "an insertion with an older timestamp replaces the cache, too"
      ),
      (.forgetsWhenRead, "every retrieval returns the feed that was inserted"),
      (.failsToDeleteNothing, "a deletion without a cache is not an error and changes nothing"),
      (.deletesNothing, "a deletion removes the cache"),
      (.appendsInFront, "appended items follow those of the cache, which gets their timestamp"),
      (.keepsTimestampWhenAppending, "appending no items gives the cache their timestamp"),
      (.insertsPieceByPiece, "concurrent insertions leave one whole feed with its own timestamp"),
    ])
  func feedStore(fault: BrokenStore.Fault, rule: String) async throws {
    let specs = FeedStoreSpecs(feed: Samples.images) { BrokenStore(fault) }
    let broken = try #require(specs.rules.first { $0.name == rule })
    let violation = await #expect(throws: ContractViolation.self) { try await broken.verify() }
    #expect(violation?.rule == rule)
    #expect(violation?.message.isEmpty == false)
    await #expect(throws: ContractViolation.self) { try await specs.rules.verify() }
  }

  @Test(
    "an image store that violates a rule is detected",
    arguments: [
      (BrokenImageStore.Fault.firstWins, "the last image inserted for a URL replaces earlier ones"),
      (.ignoresQueries, "the image of another URL is not delivered"),
      (.keepsOneImage, "images of different URLs are independent"),
      (.cutsLargeImages, "every retrieval returns the bytes that were inserted"),
      (.failsWithoutImage, "an empty store has no image, at every retrieval"),
    ])
  func imageStore(fault: BrokenImageStore.Fault, rule: String) async throws {
    let specs = FeedImageDataStoreSpecs { BrokenImageStore(fault) }
    let broken = try #require(specs.rules.first { $0.name == rule })
    let violation = await #expect(throws: ContractViolation.self) { try await broken.verify() }
    #expect(violation?.rule == rule)
  }

  @Test("stores that do not see each other's changes are detected")
  func separateStores() async throws {
    let specs = FeedStoreSpecs(feed: Samples.images) {
      InMemoryFeedStore<FeedImage>()
    } reopen: { _ in
      InMemoryFeedStore()
    }
    let rules = specs.rules.filter { $0.name.contains("at the same location") }
    #expect(rules.count == 2)
    for rule in rules {
      await #expect(throws: ContractViolation.self) { try await rule.verify() }
    }
  }

  @Test("a failing store that loses its cache or throws no error is detected")
  func losingStore() async {
    let specs = FailableFeedStoreSpecs(feed: Samples.images) {
      BrokenStore(.deletesNothing)
    } failingToInsert: {
      let store = BrokenStore(.losesCacheOnFailure)
      await store.fill()
      return store
    } failingToDelete: {
      BrokenStore(.deletesNothing)
    }
    for rule in specs.rules {
      await #expect(throws: ContractViolation.self) { try await rule.verify() }
    }
  }

  @Test("an error that a store must not throw is reported with its cause")
  func cause() async throws {
    let specs = FeedStoreSpecs(feed: Samples.images) { StoreSpy(retrievalError: .retrieval) }
    let violation = await #expect(throws: ContractViolation.self) {
      try await specs.rules.verify()
    }
    #expect(violation?.cause as? Failure == .retrieval)
    #expect(violation?.description.contains("retrieval") == true)
  }
}
