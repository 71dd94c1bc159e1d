import FeedCore
import FeedServer
import Foundation
import Testing

@Suite("A served store")
struct ServedStoreTests {
  @Test("shows what is published after it was opened")
  func publishedLater() throws {
    let database = try FeedDatabase.openPrivate()
    let store = ServedStore(database)
    let name = try FeedName("universities")
    #expect(try store.feed(named: name) == nil)
    try database.insert([University](), into: name, referenceSeconds: 1)
    #expect(try store.feed(named: name)?.description.referenceSeconds == 1)
    try database.insert([University](), into: name, referenceSeconds: 2)
    #expect(try store.feed(named: name)?.description.referenceSeconds == 2)
  }

  @Test("releases a replaced feed, so that a sweep removes its generation")
  func replaced() throws {
    let database = try FeedDatabase.openPrivate()
    let store = ServedStore(database)
    let name = try FeedName("universities")
    try database.insert([University](), into: name, referenceSeconds: 1)
    #expect(try store.feed(named: name) != nil)
    try database.insert([University](), into: name, referenceSeconds: 2)
    try database.sweep()
    #expect(try database.storeStatistics().deadGenerations == 1)
    store.releaseReplacedFeeds()
    try database.sweep()
    #expect(try database.storeStatistics().deadGenerations == 0)
    #expect(try store.feed(named: name)?.description.referenceSeconds == 2)
  }

  @Test("has no images before the first is stored")
  func images() throws {
    let database = try FeedDatabase.openPrivate()
    let store = ServedStore(database)
    #expect(try store.images() == nil)
    let images = try ImageStore.open(at: database.directory)
    try images.insert([1, 2, 3].span.bytes, for: "https://example.org/a.png")
    #expect(try store.images()?.contains("https://example.org/a.png") == true)
  }

  @Test("ends if its images are moved away, so that they can be recreated")
  func imagesPutAside() async throws {
    let database = try FeedDatabase.openPrivate()
    let store = ServedStore(database)
    let images = try store.writableImages()
    try images.insert([1, 2, 3].span.bytes, for: "https://example.org/a.png")
    let directory = database.directory + "/images"
    try FileManager.default.moveItem(atPath: directory, toPath: directory + ".aside")
    let error = await #expect(throws: StoreError.self) { try await store.watch() }
    #expect(error?.code == .ioError)
  }
}
