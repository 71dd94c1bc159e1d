/// Delivers what is cached, then what is fresh.
///
/// Both are asked for at once; what is cached always comes first, and is left out if there is none
/// or it cannot be read. If what is fresh cannot be loaded, the sequence ends with that error, after
/// the cached value. To stop iterating, or to cancel the task that does, cancels both.
///
/// ```swift
/// for try await feed in StaleWhileRevalidate(cached: local, fresh: remote) {
///   show(feed.value, isLoading: feed.isStale)
/// }
/// ```
public struct StaleWhileRevalidate<Value: Sendable>: AsyncSequence, Sendable {
  /// A value, and where it is from.
  public enum Element: Sendable {
    /// From the cache; a fresh one follows, or an error.
    case stale(Value)
    /// Just loaded; the last of the sequence.
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

  /// Makes a sequence, which asks for both values each time that it is iterated.
  ///
  /// - Parameters:
  ///   - cached: gives what is cached; nil, or an error, if there is nothing to show.
  ///   - fresh: loads the value anew.
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
  /// The feed as it is cached, unless it has no items, then as it is loaded.
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
