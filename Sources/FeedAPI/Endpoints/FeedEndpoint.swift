#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Where the image feed is (Essential App): `<base>/v1/feed?limit=10[&after_id=UUID]`.
public enum FeedEndpoint: Sendable, Hashable {
  /// A page: so many images behind the one with this id, the first ones without.
  case get(after: UUID? = nil, limit: Int = 10)

  /// The URL; the base's port and query items stay as they are.
  public func url(baseURL: URL) -> URL {
    switch self {
    case .get(let id, let limit):
      baseURL.endpoint(
        ["v1", "feed"], query: [("limit", String(limit)), ("after_id", id?.uuidString)])
    }
  }
}
