public import FeedFeature

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Loads news articles page by page, each by its number.
public struct RemoteArticlePageLoader: FeedPageLoader {
  private let baseURL: URL
  private let country: String?
  private let pageSize: Int
  private let client: any HTTPClient

  /// Makes a loader.
  ///
  /// - Parameters:
  ///   - baseURL: of the service; see ``NewsEndpoint``.
  ///   - country: whose headlines, by ISO 3166-1 alpha-2; nil if the base URL tells.
  ///   - pageSize: articles a page.
  ///   - client: what fetches the pages.
  public init(baseURL: URL, country: String? = nil, pageSize: Int = 20, client: any HTTPClient) {
    self.baseURL = baseURL
    self.country = country
    self.pageSize = pageSize
    self.client = client
  }

  /// The page with this number, counted from 1; a page that is not full is the last.
  ///
  /// - Throws: ``RemoteError``; `CancellationError` where the task was cancelled.
  public func loadPage(at cursor: Int?) async throws -> FeedPage<Article, Int> {
    let page = cursor ?? 1
    let endpoint = NewsEndpoint.topHeadlines(country: country, page: page, pageSize: pageSize)
    let url = endpoint.url(baseURL: baseURL)
    let articles = try await RemoteFeedLoader<Article>(url: url, client: client).load()
    return FeedPage(items: articles, next: articles.count < pageSize ? nil : page + 1)
  }
}
