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
