public import FeedFeature

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Loads the comments on an image from a service. It accepts any status from 200 to 299 (Essential
/// App, "Load Image Comments From Remote").
public struct RemoteImageCommentsLoader: DetailLoader {
  private let baseURL: URL
  private let client: any FeedHTTPClient

  /// Makes a loader.
  ///
  /// - Parameters:
  ///   - baseURL: of the service; see ``ImageCommentsEndpoint``.
  ///   - client: fetches the comments.
  public init(baseURL: URL, client: any FeedHTTPClient) {
    self.baseURL = baseURL
    self.client = client
  }

  /// All comments on the image with this id, in the order of the payload.
  ///
  /// - Throws: ``RemoteError``; `CancellationError` if the task was cancelled.
  public func loadDetail(for imageID: UUID) async throws -> [ImageComment] {
    let url = ImageCommentsEndpoint.get(imageID).url(baseURL: baseURL)
    return try await RemoteFeedLoader(url: url, client: client, statuses: .successful).load()
  }
}
