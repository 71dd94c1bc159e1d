public import FeedStorage

/// A feed that a ``FeedSource`` delivers: it lies in the database under its name.
public struct FeedDelivery: Sendable {
  /// Where it comes from.
  public enum Origin: Sendable {
    /// The service, just now.
    case remote(IngestReport)
    /// The cache, of which the service has said that it is current.
    case revalidated
    /// The cache, because the service failed in this way; the cache is valid.
    case cache(any Error)
  }

  /// The feed.
  public let feed: FeedDescription
  /// Where it comes from.
  public let origin: Origin

  /// Why it is not the latest feed; nil where it is.
  public var failure: (any Error)? {
    if case .cache(let error) = origin { error } else { nil }
  }
}
