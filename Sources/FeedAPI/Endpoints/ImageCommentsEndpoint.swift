#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// URLs of the comments on an image (Essential App): `<base>/v1/image/UUID/comments`.
public enum ImageCommentsEndpoint: Sendable, Hashable {
  /// The comments on the image with this id.
  case get(UUID)

  /// The URL. The base's port and query items are kept.
  public func url(baseURL: URL) -> URL {
    switch self {
    case .get(let id): baseURL.endpoint(["v1", "image", id.uuidString, "comments"])
    }
  }
}
