import FeedFeature
import Foundation
import Synchronization

/// A failure that a test requires.
struct Failure: Error, Equatable, CustomStringConvertible {
  var description: String
  init(_ description: String) { self.description = description }

  static let retrieval = Failure("retrieval")
  static let insertion = Failure("insertion")
  static let deletion = Failure("deletion")
  static let connectivity = Failure("connectivity")
  static let invalidData = Failure("invalid data")
}

/// A store in memory that records its calls, and fails on request.
final class StoreSpy<Item: Sendable & Equatable>: FeedStore {
  enum Message: Equatable, Sendable {
    case retrieve
    case delete
    case insert([Item], Date)
    case append([Item], Date)
  }

  private struct State {
    var cache: CachedFeed<Item>?
    var messages: [Message] = []
    var retrievalError: Failure?
    var insertionError: Failure?
    var deletionError: Failure?
  }

  private let state: Mutex<State>

  init(
    _ cache: CachedFeed<Item>? = nil, retrievalError: Failure? = nil,
    insertionError: Failure? = nil, deletionError: Failure? = nil
  ) {
    state = Mutex(
      State(
        cache: cache, retrievalError: retrievalError, insertionError: insertionError,
        deletionError: deletionError))
  }

  /// The calls of the store, in order.
  var messages: [Message] { state.withLock { $0.messages } }

  /// The content of the store.
  var cache: CachedFeed<Item>? { state.withLock { $0.cache } }

  func retrieve() throws -> CachedFeed<Item>? {
    try state.withLock { state in
      state.messages.append(.retrieve)
      if let error = state.retrievalError { throw error }
      return state.cache
    }
  }

  func insert(_ feed: [Item], timestamp: Date) throws {
    try state.withLock { state in
      state.messages.append(.insert(feed, timestamp))
      if let error = state.insertionError { throw error }
      state.cache = CachedFeed(feed: feed, timestamp: timestamp)
    }
  }

  func append(_ feed: [Item], timestamp: Date) throws {
    try state.withLock { state in
      state.messages.append(.append(feed, timestamp))
      if let error = state.insertionError { throw error }
      state.cache = CachedFeed(feed: (state.cache?.feed ?? []) + feed, timestamp: timestamp)
    }
  }

  func deleteCachedFeed() throws {
    try state.withLock { state in
      state.messages.append(.delete)
      if let error = state.deletionError { throw error }
      state.cache = nil
    }
  }
}
