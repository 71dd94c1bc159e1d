/// Makes one request of all loads that overlap in time.
///
/// Each of the callers gets what the one request delivers. A caller that is cancelled gets a
/// `CancellationError` at once and the others go on waiting; only when all of them are cancelled is
/// the request. A load that starts when the request has ended makes a new one.
public struct CoalescingFeedLoader<Item: Sendable>: FeedLoader {
  private struct Feed: Hashable, Sendable {}

  private let decoratee: any FeedLoader<Item>
  private let requests = RequestCoalescer<Feed, [Item]>()

  /// Makes a loader; its copies share their requests.
  public init(_ decoratee: some FeedLoader<Item>) { self.decoratee = decoratee }

  /// What the decorated loader delivers.
  public func load() async throws -> [Item] {
    try await requests.value(for: Feed()) { [decoratee] in try await decoratee.load() }
  }
}

extension FeedLoader {
  /// This loader, with one request for all loads that overlap in time.
  ///
  /// - SeeAlso: ``CoalescingFeedLoader``
  public func coalescing() -> CoalescingFeedLoader<Item> { CoalescingFeedLoader(self) }
}
