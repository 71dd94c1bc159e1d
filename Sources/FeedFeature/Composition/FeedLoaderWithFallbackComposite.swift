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
