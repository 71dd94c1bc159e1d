public import FeedFeature

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Loads the page of an article (EssentialNews, "Load Article Details From Remote"). It requires
/// status 200, at least one byte, and text.
public struct RemoteArticleDetailsLoader: DetailLoader {
  private let client: any FeedHTTPClient
  private let limits: BodyLimits

  /// Makes a loader.
  ///
  /// - Parameters:
  ///   - client: fetches the pages.
  ///   - limits: the maximum length of a page; 64 MiB by default.
  public init(client: any FeedHTTPClient, limits: BodyLimits = .resource) {
    self.client = client
    self.limits = limits
  }

  /// The page of the article with this URL.
  ///
  /// - Throws: ``RemoteError``; `CancellationError` if the task was cancelled.
  @concurrent
  public func loadDetail(for url: URL) async throws -> ArticlePage {
    let resource = RemoteResource(url, client: client, limits: limits)
    let answer = try await resource.data()
    let mediaType = answer.metadata.mediaType
    if let mediaType, !Self.isText(mediaType) {
      throw RemoteError(
        resource: resource.name, .content("expected the page of an article, found \(mediaType)"))
    }
    // Without validators there is always content.
    return ArticlePage(url: url, data: answer.content ?? Data(), mediaType: mediaType)
  }

  private static func isText(_ mediaType: String) -> Bool {
    mediaType.hasPrefix("text/") || mediaType == "application/xhtml+xml"
  }
}
