#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// URLs of pages of characters (Rick and Morty App): `<base>/character[?page=2]`.
public enum CharactersEndpoint: Sendable, Hashable {
  /// A page by its number, counted from 1; nil for the first. Prefer the next page's URL that a
  /// page contains.
  case page(Int? = nil)

  /// The URL. The base's port and query items are kept.
  public func url(baseURL: URL) -> URL {
    switch self {
    case .page(let number):
      baseURL.endpoint(["character"], query: [("page", number.map { String($0) })])
    }
  }
}
