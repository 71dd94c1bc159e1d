public import FeedFeature

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension FeedDescription {
  /// The time at which it was loaded or saved, bit for bit.
  public var timestamp: Date { Date(timeIntervalSinceReferenceDate: referenceSeconds) }
}

/// The result of validating a cached feed.
public enum CacheValidation: String, Hashable, Sendable {
  /// There is no such feed.
  case absent
  /// It is valid and was kept.
  case valid
  /// It had expired and was deleted.
  case expired
  /// It was unreadable and was deleted.
  case unreadable
}

extension FeedDatabase {
  /// Deletes a feed that is not valid or is unreadable. Does not read the records. A feed that is
  /// published in its place meanwhile is kept if it is valid.
  ///
  /// - Parameter isValid: whether a feed is valid. It is called again under the feed's lock.
  /// - Throws: `busy` if the feed is to be deleted while another process changes it; `damaged` if
  ///   the list of feeds is.
  @discardableResult
  public func validate(
    _ name: FeedName, isValid: @escaping (FeedDescription) -> Bool
  ) throws(StoreError) -> CacheValidation {
    let found: CacheValidation
    do throws(StoreError) {
      guard let feed = try feedDescription(named: name) else { return .absent }
      if isValid(feed) { return .valid }
      found = .expired
    } catch {
      guard error.code == .damaged else { throw error }
      found = .unreadable
    }
    if try delete(name, unless: isValid) { return found }
    return try feedDescription(named: name) == nil ? .absent : .valid
  }
}

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
