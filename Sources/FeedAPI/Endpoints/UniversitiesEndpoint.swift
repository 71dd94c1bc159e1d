#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Where universities are found (ListApp): `<base>/search?name=…&country=…`.
public enum UniversitiesEndpoint: Sendable, Hashable {
  /// Those whose name holds a text, and those of a country, by its English name.
  case search(name: String? = nil, country: String? = nil)

  /// The URL; the base's port and query items stay as they are.
  public func url(baseURL: URL) -> URL {
    switch self {
    case .search(let name, let country):
      baseURL.endpoint(["search"], query: [("name", name), ("country", country)])
    }
  }
}
