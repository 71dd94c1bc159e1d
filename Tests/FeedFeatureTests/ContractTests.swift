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

  @Test("a feed store in memory keeps its contract", arguments: feed.rules)
  func feedStore(rule: ContractRule) async throws { try await rule.verify() }

  @Test("two users of one store in memory see each other's changes")
  func sharedStore() async throws { try await Self.shared.rules.verify() }

  @Test("an image store in memory keeps its contract", arguments: images.rules)
  func imageStore(rule: ContractRule) async throws { try await rule.verify() }

  @Test("a store that fails, and changes nothing then, keeps the contract of failing stores")
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

  @Test("a store that keeps nothing fails no call, and has nothing")
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

/// The contract is worth something only if broken stores break it.
@Suite("Store contract: stores that break it")
struct BrokenStoreTests {
  @Test(
    "a feed store that breaks a rule is found out",
    arguments: [
      (BrokenStore.Fault.forgetsSplitSeconds, "a timestamp comes back to the bit"),
      (.countsSecondsFrom1970, "a timestamp comes back to the bit"),
      (.takesEmptyForMissing, "an empty feed is a cache"),
      (.mergesEqualItems, "items keep their order, and equal ones their number"),
      (.sortsItems, "what was inserted is delivered, however often it is asked for"),
      (.keepsOldItems, "an insertion takes the place of the whole cache"),
      (
        .keepsNewestTimestamp,
        "an insertion with an older timestamp takes the place of the cache, too"
      ),
      (.forgetsWhenRead, "what was inserted is delivered, however often it is asked for"),
      (.failsToDeleteNothing, "deleting without a cache is no error and changes nothing"),
      (.deletesNothing, "a deletion removes the cache"),
      (.appendsInFront, "appended items follow those of the cache, which takes their timestamp"),
      (.keepsTimestampWhenAppending, "no items appended give the cache their timestamp"),
      (.insertsPieceByPiece, "of insertions at once one whole feed stands, with its own timestamp"),
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
    "an image store that breaks a rule is found out",
    arguments: [
      (BrokenImageStore.Fault.firstWins, "the image last inserted for a URL is its image"),
      (.ignoresQueries, "the image of another URL is not delivered"),
      (.keepsOneImage, "images of different URLs stand beside each other"),
      (.cutsLargeImages, "an image comes back byte by byte, however often it is asked for"),
      (.failsWithoutImage, "an empty store has no image, however often it is asked"),
    ])
  func imageStore(fault: BrokenImageStore.Fault, rule: String) async throws {
    let specs = FeedImageDataStoreSpecs { BrokenImageStore(fault) }
    let broken = try #require(specs.rules.first { $0.name == rule })
    let violation = await #expect(throws: ContractViolation.self) { try await broken.verify() }
    #expect(violation?.rule == rule)
  }

  @Test("stores that do not see each other's changes are found out")
  func separateStores() async throws {
    let specs = FeedStoreSpecs(feed: Samples.images) {
      InMemoryFeedStore<FeedImage>()
    } reopen: { _ in
      InMemoryFeedStore()
    }
    let rules = specs.rules.filter { $0.name.contains("the same place") }
    #expect(rules.count == 2)
    for rule in rules {
      await #expect(throws: ContractViolation.self) { try await rule.verify() }
    }
  }

  @Test("a store that loses its cache when it fails, or does not tell, is found out")
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

  @Test("an error that a store must not throw is told with its cause")
  func cause() async throws {
    let specs = FeedStoreSpecs(feed: Samples.images) { StoreSpy(retrievalError: .retrieval) }
    let violation = await #expect(throws: ContractViolation.self) {
      try await specs.rules.verify()
    }
    #expect(violation?.cause as? Failure == .retrieval)
    #expect(violation?.description.contains("retrieval") == true)
  }
}
