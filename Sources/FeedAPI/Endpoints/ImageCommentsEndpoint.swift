#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Where the comments on an image are (Essential App): `<base>/v1/image/UUID/comments`.
public enum ImageCommentsEndpoint: Sendable, Hashable {
  /// The comments on the image with this id.
  case get(UUID)

  /// The URL; the base's port and query items stay as they are.
  public func url(baseURL: URL) -> URL {
    switch self {
    case .get(let id): baseURL.endpoint(["v1", "image", id.uuidString, "comments"])
    }
  }
}
