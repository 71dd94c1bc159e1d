#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// URLs of the image feed (Essential App): `<base>/v1/feed?limit=10[&after_id=UUID]`.
public enum FeedEndpoint: Sendable, Hashable {
  /// A page: up to `limit` images after the one with this id, or the first images.
  case get(after: UUID? = nil, limit: Int = 10)

  /// The URL. The base's port and query items are kept.
  public func url(baseURL: URL) -> URL {
    switch self {
    case .get(let id, let limit):
      baseURL.endpoint(
        ["v1", "feed"], query: [("limit", String(limit)), ("after_id", id?.uuidString)])
    }
  }
}
