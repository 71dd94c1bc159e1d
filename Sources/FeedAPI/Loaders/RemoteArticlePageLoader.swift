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
  /// articles (`totalResults`) than the pages up to it can hold. Such a page lacks articles that
  /// were withdrawn.
  ///
  /// - Throws: ``RemoteError``; `CancellationError` if the task was cancelled.
  public func loadPage(at cursor: Int?) async throws -> FeedPage<Article, Int> {
    let page = max(cursor ?? 1, 1)
    let endpoint = NewsEndpoint.topHeadlines(country: country, page: page, pageSize: pageSize)
    let loader = RemoteFeedLoader<Article>(url: endpoint.url(baseURL: baseURL), client: client)
    let answer = try await loader.collect { items, envelope in
      FeedPage(items: items, next: next(behind: page, items.count, of: NewsTotal.read(envelope)))
    }
    // Without validators there is always content.
    return answer.content ?? FeedPage(items: [], next: nil)
  }

  /// The number of the page after one with `count` articles; nil if that page is the last.
  private func next(behind page: Int, _ count: Int, of total: UInt128?) -> Int? {
    guard count > 0, page < .max else { return nil }
    let hasMore = total.map { UInt128(page) * UInt128(pageSize) < $0 } ?? false
    return count >= pageSize || hasMore ? page + 1 : nil
  }
}

/// The envelope around the articles of a page.
private struct NewsTotal: Decodable {
  var totalResults: Int?

  /// The number of articles on all pages; nil if the envelope does not state it.
  static func read(_ envelope: [UInt8]?) -> UInt128? {
    guard let envelope else { return nil }
    let total = try? JSONDecoder().decode(Self.self, from: Data(envelope)).totalResults
    return total.flatMap { UInt128(exactly: $0) }
  }
}
