public import FeedStorage

/// A feed that a ``FeedSource`` delivers. The database holds it under its name.
public struct FeedDelivery: Sendable {
  /// The origin of a delivered feed.
  public enum Origin: Sendable {
    /// The service, by this request.
    case remote(IngestReport)
    /// The cache. The service has confirmed that it is current.
    case revalidated
    /// The cache, because the service failed with this error. The cached feed is valid.
    case cache(any Error)
  }

  /// The feed.
  public let feed: FeedDescription
  /// The origin of the feed.
  public let origin: Origin

  /// Why this is not the latest feed; nil if it is.
  public var failure: (any Error)? {
    if case .cache(let error) = origin { error } else { nil }
  }
}
