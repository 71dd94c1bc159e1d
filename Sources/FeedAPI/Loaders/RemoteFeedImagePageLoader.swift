public import FeedFeature

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Loads the image feed page by page. A page is requested by the id of the last image before it
/// (Essential App, `after_id`).
public struct RemoteFeedImagePageLoader: FeedPageLoader {
  private let baseURL: URL
  private let limit: Int
  private let client: any FeedHTTPClient

  /// Makes a loader.
  ///
  /// - Parameters:
  ///   - baseURL: of the service; see ``FeedEndpoint``.
  ///   - limit: images per page; less than one counts as one.
  ///   - client: fetches the pages.
  public init(baseURL: URL, limit: Int = 10, client: any FeedHTTPClient) {
    self.baseURL = baseURL
    self.limit = max(1, limit)
    self.client = client
  }

  /// The images after the one with this id, or the first images. An empty page is the last.
  ///
  /// - Throws: ``RemoteError``; `CancellationError` if the task was cancelled.
  public func loadPage(at cursor: UUID?) async throws -> FeedPage<FeedImage, UUID> {
    let url = FeedEndpoint.get(after: cursor, limit: limit).url(baseURL: baseURL)
    let images = try await RemoteFeedLoader<FeedImage>(url: url, client: client).load()
    return FeedPage(followedByLastItemOf: images)
  }
}
