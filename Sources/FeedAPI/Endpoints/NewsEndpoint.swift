#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// URLs of news articles (EssentialNews): `<base>/v2/top-headlines?country=…&page=1&pageSize=20`.
public enum NewsEndpoint: Sendable, Hashable {
  /// A page of headlines by its number, counted from 1; of a country by ISO 3166-1 alpha-2.
  case topHeadlines(country: String? = nil, page: Int = 1, pageSize: Int = 20)

  /// The URL. The base's port and query items are kept, such as a key for the service.
  public func url(baseURL: URL) -> URL {
    switch self {
    case .topHeadlines(let country, let page, let pageSize):
      baseURL.endpoint(
        ["v2", "top-headlines"],
        query: [("country", country), ("page", String(page)), ("pageSize", String(pageSize))])
    }
  }
}
