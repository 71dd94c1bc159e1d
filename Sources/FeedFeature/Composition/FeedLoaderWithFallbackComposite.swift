/// Loads a feed from one loader, and from another if that fails: from the service, else from the
/// cache.
///
/// Any failure counts, invalid data as well as a lost connection. A load that was cancelled does
/// not fall back.
public struct FeedLoaderWithFallbackComposite<Item: Sendable>: FeedLoader {
  private let primary: any FeedLoader<Item>
  private let fallback: FeedFallback<Item>

  /// Makes a composition.
  ///
  /// - Parameters:
  ///   - primary: what is asked first.
  ///   - fallback: what is asked if that fails.
  ///   - emptyFallback: what it means if that has no items.
  ///   - onFailure: is told of each failure before the load goes on.
  public init(
    primary: some FeedLoader<Item>, fallback: some FeedLoader<Item>,
    emptyFallback: EmptyFallback = .primaryError,
    onFailure: @escaping @Sendable (FallbackFailure) -> Void = { _ in }
  ) {
    self.primary = primary
    self.fallback = FeedFallback(
      loader: fallback, emptyFallback: emptyFallback, onFailure: onFailure)
  }

  /// The feed of the primary loader, else that of the fallback.
  ///
  /// - Throws: the primary loader's error if the fallback fails, too, since it says what the user
  ///   can do something about; `CancellationError` if the task was cancelled.
  public func load() async throws -> [Item] {
    do {
      return try await primary.load()
    } catch {
      return try await fallback.feed(insteadOf: error)
    }
  }
}

extension FeedLoader {
  /// This loader, and another one for when it fails.
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
