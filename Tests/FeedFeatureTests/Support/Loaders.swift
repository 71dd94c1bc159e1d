import FeedFeature
import Foundation
import Synchronization
import Threading

/// A feed loader, cache and page loader with the behaviour that a test requires.
struct LoaderStub<Item: Sendable>: FeedLoader {
  private let body: @Sendable () async throws -> [Item]
  init(_ body: @escaping @Sendable () async throws -> [Item]) { self.body = body }
  init(_ feed: [Item]) { body = { feed } }
  init(failing error: Failure) { body = { throw error } }
  func load() async throws -> [Item] { try await body() }
}

struct CacheStub<Item: Sendable>: FeedCache {
  let body: @Sendable ([Item]) async throws -> Void
  init(_ body: @escaping @Sendable ([Item]) async throws -> Void) { self.body = body }
  func save(_ feed: [Item]) async throws { try await body(feed) }
}

struct ImageLoaderStub: FeedImageDataLoader {
  private let body: @Sendable (URL) async throws -> Data
  init(_ body: @escaping @Sendable (URL) async throws -> Data) { self.body = body }
  init(_ data: Data) { body = { _ in data } }
  init(failing error: Failure) { body = { _ in throw error } }
  func loadImageData(from url: URL) async throws -> Data { try await body(url) }
}

struct ImageStoreStub: FeedImageDataStore {
  var retrieve: @Sendable (URL) async throws -> Data? = { _ in nil }
  var insert: @Sendable (Data, URL) async throws -> Void = { _, _ in }
  func insert(_ data: Data, for url: URL) async throws { try await insert(data, url) }
  func retrieve(dataForURL url: URL) async throws -> Data? { try await retrieve(url) }
}

/// Values recorded by several tasks.
final class Notes<Note: Sendable>: Sendable {
  private let notes = Mutex<[Note]>([])
  var all: [Note] { notes.withLock { $0 } }
  func add(_ note: Note) { notes.withLock { $0.append(note) } }
}

/// A door at which many tasks may wait until it is opened. Cancellation of a task ends its wait.
final class Door: Sendable {
  private let semaphore = AsyncSemaphore(0)

  func open() { semaphore.signal() }

  func pass() async throws {
    try await semaphore.waitUnlessCancelled()
    // The next task passes too.
    semaphore.signal()
  }
}
