public import FeedFeature

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Loads news articles page by page, by page number.
public struct RemoteArticlePageLoader: FeedPageLoader {
  private let baseURL: URL
  private let country: String?
  private let pageSize: Int
  private let client: any FeedHTTPClient

  /// Makes a loader.
  ///
  /// - Parameters:
  ///   - baseURL: of the service; see ``NewsEndpoint``.
  ///   - country: the headlines' country, by ISO 3166-1 alpha-2; nil if the base URL contains it.
  ///   - pageSize: articles per page; less than one counts as one.
  ///   - client: fetches the pages.
  public init(baseURL: URL, country: String? = nil, pageSize: Int = 20, client: any FeedHTTPClient)
  {
    self.baseURL = baseURL
    self.country = country
    self.pageSize = max(1, pageSize)
    self.client = client
  }

  /// The page with this number, counted from 1.
  ///
  /// An empty page is the last. So is a page that is not full, unless the service reports more
  /// articles (`totalResults`) than the pages up to it can hold. In that case, the page lacks
  /// articles that were withdrawn.
  ///
  /// - Throws: ``RemoteError``; `CancellationError` if the task was cancelled.
  public func loadPage(at cursor: Int?) async throws -> FeedPage<Article, Int> {
    let page = max(cursor ?? 1, 1)
    let endpoint = NewsEndpoint.topHeadlines(country: country, page: page, pageSize: pageSize)
    let loader = RemoteFeedLoader<Article>(url: endpoint.url(baseURL: baseURL), client: client)
    let answer = try await loader.load { items, envelope in
      FeedPage(items: items, next: next(behind: page, items.count, of: envelope.totalCount))
    }
    // Without validators there is always content.
    return answer.content ?? FeedPage(items: [], next: nil)
  }

  /// The number of the page after one with `count` articles; nil if that page is the last.
  private func next(behind page: Int, _ count: Int, of total: Int?) -> Int? {
    guard count > 0, page < .max else { return nil }
    let hasMore = total.map { UInt128(page) * UInt128(pageSize) < UInt128($0) } ?? false
    return count >= pageSize || hasMore ? page + 1 : nil
  }
}
