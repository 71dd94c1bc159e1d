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
  ///   - pageSize: articles a page; less than one counts as one.
  ///   - client: what fetches the pages.
  public init(baseURL: URL, country: String? = nil, pageSize: Int = 20, client: any HTTPClient) {
    self.baseURL = baseURL
    self.country = country
    self.pageSize = max(1, pageSize)
    self.client = client
  }

  /// The page with this number, counted from 1.
  ///
  /// It is the last if it is empty, or not full although the pages up to it have room for all articles
  /// that there are, as far as the service tells (`totalResults`): a page may lack some that were taken
  /// back.
  ///
  /// - Throws: ``RemoteError``; `CancellationError` where the task was cancelled.
  public func loadPage(at cursor: Int?) async throws -> FeedPage<Article, Int> {
    let page = max(cursor ?? 1, 1)
    let endpoint = NewsEndpoint.topHeadlines(country: country, page: page, pageSize: pageSize)
    let loader = RemoteFeedLoader<Article>(url: endpoint.url(baseURL: baseURL), client: client)
    let answer = try await loader.collect { items, envelope in
      FeedPage(items: items, next: next(behind: page, items.count, of: NewsTotal.read(envelope)))
    }
    // Without validators there is always a content.
    return answer.content ?? FeedPage(items: [], next: nil)
  }

  /// The number of the page behind one with so many articles; nil where that is the last.
  private func next(behind page: Int, _ count: Int, of total: UInt128?) -> Int? {
    guard count > 0, page < .max else { return nil }
    let hasMore = total.map { UInt128(page) * UInt128(pageSize) < $0 } ?? false
    return count >= pageSize || hasMore ? page + 1 : nil
  }
}

/// What stands around the articles of a page.
private struct NewsTotal: Decodable {
  var totalResults: Int?

  /// How many articles there are on all pages; nil where that is not told.
  static func read(_ envelope: [UInt8]?) -> UInt128? {
    guard let envelope else { return nil }
    let total = try? JSONDecoder().decode(Self.self, from: Data(envelope)).totalResults
    return total.flatMap { UInt128(exactly: $0) }
  }
}
