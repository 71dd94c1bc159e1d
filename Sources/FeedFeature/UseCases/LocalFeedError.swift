/// Why a cache has no feed to deliver, if its policy makes that an error
/// (``CachePolicy/EmptyCache/error``).
public enum LocalFeedError: Error, Hashable, CustomStringConvertible {
  /// No feed was saved, or it was deleted.
  case empty
  /// The saved feed has expired.
  case expired

  public var description: String {
    switch self {
    case .empty: "There is no cached feed: load it once while its service can be reached."
    case .expired: "The cached feed is too old: load it again while its service can be reached."
    }
  }
}
