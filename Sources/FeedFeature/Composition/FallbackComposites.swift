#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Loads a feed from one loader, and from another if that fails: from the service, else from the
/// cache.
///
/// Any failure counts, invalid data as well as a lost connection. A cancelled load does not use the
/// fallback.
public struct FeedLoaderWithFallbackComposite<Item: Sendable>: FeedLoader {
  private let primary: any FeedLoader<Item>
  private let fallback: FeedFallback<Item>

  /// Makes a composition.
  ///
  /// - Parameters:
  ///   - primary: the loader that is tried first.
  ///   - fallback: the loader that is tried if the primary fails.
  ///   - emptyFallback: how to handle a fallback without items.
  ///   - onFailure: receives each failure before the load continues.
  public init(
    primary: some FeedLoader<Item>, fallback: some FeedLoader<Item>,
    emptyFallback: EmptyFallback = .primaryError,
    onFailure: @escaping @Sendable (FallbackFailure) -> Void = { _ in }
  ) {
    self.primary = primary
    self.fallback = FeedFallback(
      loader: fallback, emptyFallback: emptyFallback, onFailure: onFailure)
  }

  /// The feed from the primary loader, else from the fallback.
  ///
  /// - Throws: the primary loader's error if both fail, since the user can act on it;
  ///   `CancellationError` if the task was cancelled.
  public func load() async throws -> [Item] {
    do {
      return try await primary.load()
    } catch {
      return try await fallback.feed(insteadOf: error)
    }
  }
}

extension FeedLoader {
  /// This loader, with a fallback for failures.
  ///
  /// - SeeAlso: ``FeedLoaderWithFallbackComposite``
  public func fallback(
    to fallback: some FeedLoader<Item>, emptyFallback: EmptyFallback = .primaryError,
    onFailure: @escaping @Sendable (FallbackFailure) -> Void = { _ in }
  ) -> FeedLoaderWithFallbackComposite<Item> {
    FeedLoaderWithFallbackComposite(
      primary: self, fallback: fallback, emptyFallback: emptyFallback, onFailure: onFailure)
  }
}

/// Loads an image from one loader, and from another if that fails: from the cache, else from the
/// service.
///
/// A cancelled load does not use the fallback.
public struct FeedImageDataLoaderWithFallbackComposite: FeedImageDataLoader {
  private let primary: any FeedImageDataLoader
  private let fallback: any FeedImageDataLoader
  private let onFailure: @Sendable (FallbackFailure) -> Void

  /// Makes a composition.
  ///
  /// - Parameters:
  ///   - primary: the loader that is tried first.
  ///   - fallback: the loader that is tried if the primary fails.
  ///   - onFailure: receives each failure before the load continues.
  public init(
    primary: some FeedImageDataLoader, fallback: some FeedImageDataLoader,
    onFailure: @escaping @Sendable (FallbackFailure) -> Void = { _ in }
  ) {
    self.primary = primary
    self.fallback = fallback
    self.onFailure = onFailure
  }

  /// The bytes from the primary loader, else from the fallback.
  ///
  /// - Throws: the fallback's error if both fail. It explains why the image could not be fetched,
  ///   while the primary's only states that the cache lacks it. `CancellationError` if the task was
  ///   cancelled.
  public func loadImageData(from url: URL) async throws -> Data {
    do {
      return try await primary.loadImageData(from: url)
    } catch {
      try Task.checkCancellation()
      onFailure(.primary(error))
    }
    do {
      return try await fallback.loadImageData(from: url)
    } catch {
      try Task.checkCancellation()
      onFailure(.fallback(error))
      throw error
    }
  }
}

extension FeedImageDataLoader {
  /// This loader, with a fallback for failures.
  ///
  /// - SeeAlso: ``FeedImageDataLoaderWithFallbackComposite``
  public func fallback(
    to fallback: some FeedImageDataLoader,
    onFailure: @escaping @Sendable (FallbackFailure) -> Void = { _ in }
  ) -> FeedImageDataLoaderWithFallbackComposite {
    FeedImageDataLoaderWithFallbackComposite(
      primary: self, fallback: fallback, onFailure: onFailure)
  }
}

/// A failure within a composition with a fallback. It is reported when it occurs, for example to a
/// log or to a view that explains why a cached feed is shown.
public enum FallbackFailure: Sendable {
  /// The primary loader has failed; the fallback is tried next.
  case primary(any Error)
  /// The fallback has failed, too.
  case fallback(any Error)
}

/// How a composition handles a fallback without items.
public enum EmptyFallback: Sendable, Hashable {
  /// Delivers the primary loader's error. Offline with an empty or expired cache, the customer sees
  /// an error message, as the scenarios of all documents require.
  case primaryError
  /// Delivers an empty feed without an error, as Essential App's code does.
  case delivered
}

/// The fallback for a feed that could not be loaded. ``FeedLoaderWithFallbackComposite`` and
/// ``PaginatedFeedLoader`` share this rule.
struct FeedFallback<Item: Sendable>: Sendable {
  let loader: any FeedLoader<Item>
  let emptyFallback: EmptyFallback
  let onFailure: @Sendable (FallbackFailure) -> Void

  func feed(insteadOf primaryError: any Error) async throws -> [Item] {
    try Task.checkCancellation()
    onFailure(.primary(primaryError))
    let feed: [Item]
    do {
      feed = try await loader.load()
    } catch {
      try Task.checkCancellation()
      onFailure(.fallback(error))
      throw primaryError
    }
    if feed.isEmpty, emptyFallback == .primaryError { throw primaryError }
    return feed
  }
}
