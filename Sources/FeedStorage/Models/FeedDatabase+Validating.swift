public import FeedFeature

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension FeedDescription {
  /// When it was loaded or saved, to the bit.
  public var timestamp: Date { Date(timeIntervalSinceReferenceDate: referenceSeconds) }
}

/// What validating a cached feed has found.
public enum CacheValidation: String, Hashable, Sendable {
  /// There is no such feed.
  case absent
  /// It is valid, and was kept.
  case valid
  /// It had expired, and was deleted.
  case expired
  /// It could not be read, and was deleted.
  case unreadable
}

// A feed as a cache of which a policy says what it is worth. The records are not read for it.
extension FeedDatabase {
  /// A feed as a load from the cache delivers it ("Load Feed From Cache Use Case" of the apps); nil
  /// where there is none, or none that is valid.
  ///
  /// An expired feed is deleted where the policy says so, unless somebody is changing it or has
  /// just done so.
  ///
  /// - Throws: `damaged`.
  public func validFeed(
    named name: FeedName, policy: CachePolicy, at now: Date = Date()
  ) throws(StoreError) -> FeedDescription? {
    guard let feed = try feed(named: name) else { return nil }
    if policy.isValid(feed.timestamp, at: now) { return feed }
    if policy.onExpired == .delete {
      _ = try? delete(name) { policy.isValid($0.timestamp, at: now) }
    }
    return nil
  }

  /// Deletes a feed that has expired or cannot be read ("Validate Feed Cache Use Case" of the
  /// apps). What somebody else publishes in its place meanwhile stays.
  ///
  /// - Throws: `busy` where it is to be deleted while somebody changes it; `damaged` where the list
  ///   of feeds is.
  @discardableResult
  public func validateCache(
    of name: FeedName, policy: CachePolicy, at now: Date = Date()
  ) throws(StoreError) -> CacheValidation {
    let found: CacheValidation
    do throws(StoreError) {
      guard let feed = try feed(named: name) else { return .absent }
      if policy.isValid(feed.timestamp, at: now) { return .valid }
      found = .expired
    } catch {
      guard error.code == .damaged else { throw error }
      found = .unreadable
    }
    let wasDeleted = try delete(name) { policy.isValid($0.timestamp, at: now) }
    if wasDeleted { return found }
    return try feed(named: name) == nil ? .absent : .valid
  }
}
