public import FeedFeature

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Loads the image feed page by page, each by the id of the last image before it (Essential App,
/// `after_id`).
public struct RemoteFeedImagePageLoader: FeedPageLoader {
  private let baseURL: URL
  private let limit: Int
  private let client: any HTTPClient

  /// Makes a loader.
  ///
  /// - Parameters:
  ///   - baseURL: of the service; see ``FeedEndpoint``.
  ///   - limit: images a page; less than one counts as one.
  ///   - client: what fetches the pages.
  public init(baseURL: URL, limit: Int = 10, client: any HTTPClient) {
    self.baseURL = baseURL
    self.limit = max(1, limit)
    self.client = client
  }

  /// The images behind the one with this id, the first ones without; an empty page is the last.
  ///
  /// - Throws: ``RemoteError``; `CancellationError` where the task was cancelled.
  public func loadPage(at cursor: UUID?) async throws -> FeedPage<FeedImage, UUID> {
    let url = FeedEndpoint.get(after: cursor, limit: limit).url(baseURL: baseURL)
    let images = try await RemoteFeedLoader<FeedImage>(url: url, client: client).load()
    return FeedPage(followedByLastItemOf: images)
  }
}
