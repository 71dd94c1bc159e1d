import FeedCore
import Foundation
import TestSupport
import Testing

/// A store in which a new feed is published just before an invalid one is deleted.
private struct OvertakenStore: FeedStore {
  let base: LMDBFeedStore<FeedImage>
  let feed: [FeedImage]
  let timestamp: Date

  func retrieve() async throws -> CachedFeed<FeedImage>? { try await base.retrieve() }

  func insert(_ feed: [FeedImage], timestamp: Date) async throws {
    try await base.insert(feed, timestamp: timestamp)
  }

  func deleteCachedFeed() async throws {
    try await base.insert(feed, timestamp: timestamp)
    try await base.deleteCachedFeed()
  }

  func deleteCachedFeed(unless isValid: @escaping @Sendable (Date) -> Bool) async throws {
    try await base.insert(feed, timestamp: timestamp)
    try await base.deleteCachedFeed(unless: isValid)
  }
}

@Suite("A validation deletes a feed that is expired or of another kind, and no other")
struct ValidatingTests {
  private static let now = Date(timeIntervalSinceReferenceDate: 800_000_000)
  private static let old = now - 30 * 86_400

  private static func image(_ number: Int) -> [FeedImage] {
    [FeedImage(id: UUID(), url: URL(filePath: "/\(number).png"))]
  }

  private static func makeStore(
    in directory: TemporaryDirectory
  ) throws -> LMDBFeedStore<FeedImage> {
    LMDBFeedStore(try FeedDatabase.open(at: directory.path), feed: try FeedName("feed"))
  }

  @Test("a feed published just before the deletion of an expired one is kept")
  func overtaken() async throws {
    let directory = try TemporaryDirectory(inMemory: true)
    let store = try Self.makeStore(in: directory)
    let feed = Self.image(2)
    let overtaken = OvertakenStore(base: store, feed: feed, timestamp: Self.now)
    let local = LocalFeedLoader(store: overtaken, policy: .feed2020, currentDate: { Self.now })

    try await store.insert(Self.image(1), timestamp: Self.old)
    #expect(try await local.load() == [])
    #expect(try await local.load() == feed)

    try await store.insert(Self.image(1), timestamp: Self.old)
    try await local.validateCache()
    #expect(try await local.load() == feed)
  }

  @Test("an expired feed is deleted, and so is a feed of another kind")
  func deletes() async throws {
    let directory = try TemporaryDirectory(inMemory: true)
    let store = try Self.makeStore(in: directory)
    let local = LocalFeedLoader(store: store, policy: .feed2020, currentDate: { Self.now })
    try await store.insert(Self.image(1), timestamp: Self.old)
    try await local.validateCache()
    #expect(try store.database.feedDescription(named: store.name) == nil)

    let others = LMDBFeedStore<SeriesCharacter>(store.database, feed: store.name)
    try await others.insert([], timestamp: Self.now)
    try await local.validateCache()
    #expect(try store.database.feedDescription(named: store.name) == nil)
  }

  @Test("a validation during ingests deletes no valid feed")
  func race() async throws {
    let directory = try TemporaryDirectory(inMemory: true)
    let store = try Self.makeStore(in: directory)
    let (database, name) = (store.database, store.name)
    let validations = Task.detached {
      while !Task.isCancelled {
        do {
          try database.validateCache(of: name, policy: .essential, at: Self.now)
          _ = try database.validFeed(named: name, policy: .feed2020, at: Self.now)
        } catch let error as StoreError where error.code == .busy {}
        await Task.yield()
      }
    }
    for _ in 0..<300 {
      try await store.insert(Self.image(1), timestamp: Self.old)
      try await store.insert(Self.image(2), timestamp: Self.now)
      // A deletion holds the feed's lock, and the append waits for it.
      try await store.append([], timestamp: Self.now)
      #expect(try database.feedDescription(named: name)?.recordCount == 1)
    }
    validations.cancel()
    try await validations.value
  }
}
