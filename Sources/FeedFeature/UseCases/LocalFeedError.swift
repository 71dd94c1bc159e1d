/// Why a cache has no feed to deliver, where its policy makes that an error
/// (``CachePolicy/EmptyCache/error``).
public enum LocalFeedError: Error, Hashable, CustomStringConvertible {
  /// Nothing has been saved, or it was deleted.
  case empty
  /// What was saved is too old.
  case expired

  public var description: String {
    switch self {
    case .empty: "There is no cached feed: load it once while its service can be reached."
    case .expired: "The cached feed is too old: load it again while its service can be reached."
    }
  }
}
