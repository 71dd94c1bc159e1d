import FeedFeature
import Foundation
import Synchronization

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

/// A door that many tasks may wait at until it is opened. Waiting ends with a cancellation, too.
final class Door: Sendable {
  private struct State {
    var isOpen = false
    var number = 0
    var waiting: [Int: CheckedContinuation<Void, any Error>] = [:]
  }

  private let state = Mutex(State())

  func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [:] }
      return state.waiting
    }
    for waiter in waiting.values { waiter.resume() }
  }

  func pass() async throws {
    let number = state.withLock { state in
      state.number += 1
      return state.number
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let result = state.withLock { state -> Result<Void, any Error>? in
          if Task.isCancelled { return .failure(CancellationError()) }
          if state.isOpen { return .success(()) }
          state.waiting[number] = continuation
          return nil
        }
        if let result { continuation.resume(with: result) }
      }
    } onCancel: {
      state.withLock { $0.waiting.removeValue(forKey: number) }?.resume(
        throwing: CancellationError())
    }
  }
}
