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
