#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Delivers the cached value, then the fresh one.
///
/// Both are requested at once. The cached value always comes first; it is omitted if there is none
/// or it cannot be read. If the fresh value cannot be loaded, the sequence ends with that error,
/// after the cached value. Ending the iteration or cancelling its task cancels both.
///
/// ```swift
/// for try await feed in StaleWhileRevalidate(cached: local, fresh: remote) {
///   show(feed.value, isLoading: feed.isStale)
/// }
/// ```
public struct StaleWhileRevalidate<Value: Sendable>: AsyncSequence, Sendable {
  /// A value and its origin.
  public enum Element: Sendable {
    /// From the cache; a fresh one follows, or an error.
    case stale(Value)
    /// Just loaded; the last element of the sequence.
    case fresh(Value)

    /// The value.
    public var value: Value {
      switch self {
      case .stale(let value), .fresh(let value): value
      }
    }

    /// Whether the value is from the cache.
    public var isStale: Bool {
      switch self {
      case .stale: true
      case .fresh: false
      }
    }
  }

  private let cached: @Sendable () async throws -> Value?
  private let fresh: @Sendable () async throws -> Value

  /// Makes a sequence, which requests both values each time it is iterated.
  ///
  /// - Parameters:
  ///   - cached: returns the cached value; nil, or an error, if there is nothing to show.
  ///   - fresh: loads the current value.
  public init(
    cached: @escaping @Sendable () async throws -> Value?,
    fresh: @escaping @Sendable () async throws -> Value
  ) {
    self.cached = cached
    self.fresh = fresh
  }

  public func makeAsyncIterator() -> AsyncThrowingStream<Element, any Error>.Iterator {
    let (stream, continuation) = AsyncThrowingStream.makeStream(of: Element.self)
    let work = Task { [cached, fresh] in
      do {
        async let freshValue = fresh()
        if let value = try? await cached() { continuation.yield(.stale(value)) }
        continuation.yield(.fresh(try await freshValue))
        continuation.finish()
      } catch {
        continuation.finish(throwing: error)
      }
    }
    continuation.onTermination = { _ in work.cancel() }
    return stream.makeAsyncIterator()
  }
}

extension StaleWhileRevalidate {
  /// The cached feed, unless it has no items, then the loaded one.
  public init<Item>(
    cached: some FeedLoader<Item>, fresh: some FeedLoader<Item>
  ) where Value == [Item] {
    self.init(
      cached: {
        let feed = try await cached.load()
        return feed.isEmpty ? nil : feed
      },
      fresh: { try await fresh.load() })
  }
}

extension StaleWhileRevalidate<Data> {
  /// The cached image at this URL, then the loaded one.
  public init(
    imageAt url: URL, cached: some FeedImageDataLoader, fresh: some FeedImageDataLoader
  ) {
    self.init(
      cached: { try await cached.loadImageData(from: url) },
      fresh: { try await fresh.loadImageData(from: url) })
  }
}
