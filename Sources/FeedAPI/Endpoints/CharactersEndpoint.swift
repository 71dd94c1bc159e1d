#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Where pages of characters are (Rick and Morty App): `<base>/character[?page=2]`.
public enum CharactersEndpoint: Sendable, Hashable {
  /// A page by its number, counted from 1; the first one without. Further ones are better taken
  /// from what a page itself says is next.
  case page(Int? = nil)

  /// The URL; the base's port and query items stay as they are.
  public func url(baseURL: URL) -> URL {
    switch self {
    case .page(let number):
      baseURL.endpoint(["character"], query: [("page", number.map { String($0) })])
    }
  }
}
