public import FeedFeature
public import FeedStorage

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

// A feed as a cache with a policy. Validation does not read the records.
extension FeedDatabase {
  /// A feed as the cache delivers it ("Load Feed From Cache Use Case" of the apps); nil if there is
  /// none or it is not valid.
  ///
  /// An expired feed is deleted if the policy says so, unless another process is changing it or has
  /// just changed it.
  ///
  /// - Throws: `damaged`.
  public func validFeed(
    named name: FeedName, policy: CachePolicy, at now: Date = Date()
  ) throws(StoreError) -> FeedDescription? {
    guard let feed = try feedDescription(named: name) else { return nil }
    if policy.isValid(feed.timestamp, at: now) { return feed }
    if policy.onExpired == .delete {
      _ = try? delete(name) { policy.isValid($0.timestamp, at: now) }
    }
    return nil
  }

  /// Deletes a feed that has expired or is unreadable ("Validate Feed Cache Use Case" of the apps).
  /// A feed that is published in its place meanwhile is kept.
  ///
  /// - Throws: `busy` if the feed is to be deleted while another process changes it; `damaged` if
  ///   the list of feeds is.
  @discardableResult
  public func validateCache(
    of name: FeedName, policy: CachePolicy, at now: Date = Date()
  ) throws(StoreError) -> CacheValidation {
    try validate(name) { policy.isValid($0.timestamp, at: now) }
  }
}
