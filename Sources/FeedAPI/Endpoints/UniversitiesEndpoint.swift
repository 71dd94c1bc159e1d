#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// URLs of universities (ListApp): `<base>/search?name=…&country=…`.
public enum UniversitiesEndpoint: Sendable, Hashable {
  /// Universities whose name contains a text, and those of a country, by its English name.
  case search(name: String? = nil, country: String? = nil)

  /// The URL. The base's port and query items are kept.
  public func url(baseURL: URL) -> URL {
    switch self {
    case .search(let name, let country):
      baseURL.endpoint(["search"], query: [("name", name), ("country", country)])
    }
  }
}
