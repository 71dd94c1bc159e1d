#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Decides how old a cached feed may be, how loading handles one that has expired or cannot be
/// read, and how a feed is saved.
///
/// A policy is a value that ``LocalFeedLoader`` applies. Each of the five apps has a preset, which
/// can be modified for other feeds:
///
/// ```swift
/// var policy = CachePolicy.essential
/// policy.maximumAge = .days(1)
/// ```
public struct CachePolicy: Hashable, Sendable {
  /// The maximum age of a cache.
  public enum MaximumAge: Hashable, Sendable {
    /// A cache never expires.
    case unlimited
    /// A cache expires when this many days of the calendar, in its time zone, have passed. At
    /// exactly that age, to the second, it is expired.
    case days(Int, in: Calendar)

    /// Days of the Gregorian calendar in the process's time zone, as the apps count them. With
    /// `FoundationEssentials` alone, on Linux, the time zone is always GMT.
    public static func days(_ count: Int) -> MaximumAge {
      .days(count, in: Calendar(identifier: .gregorian))
    }
  }

  /// Whether a cache is kept.
  public enum Disposal: Hashable, Sendable {
    /// The cache is kept.
    case keep
    /// The cache is deleted. A failed deletion does not affect the delivery.
    case delete
  }

  /// How a feed is saved.
  public enum Writing: Hashable, Sendable {
    /// The cache is deleted, then the feed is inserted.
    case replace
    /// The feed is appended to the cache; nothing is deleted.
    case append
  }

  /// What loading delivers without a valid cache.
  public enum EmptyCache: Hashable, Sendable {
    /// No items, and no error.
    case noItems
    /// A ``LocalFeedError``.
    case error
  }

  /// The maximum age of a cache.
  public var maximumAge: MaximumAge
  /// How loading handles an expired cache. Validating deletes it in any case.
  public var onExpired: Disposal
  /// How loading handles a cache that cannot be retrieved. Validating deletes it in any case.
  public var onRetrievalError: Disposal
  /// How a feed is saved.
  public var write: Writing
  /// What loading delivers without a valid cache.
  public var emptyCache: EmptyCache

  /// Makes a policy. The defaults are those of most documents: loading changes nothing, saving
  /// replaces, and no cache means no items.
  public init(
    maximumAge: MaximumAge, onExpired: Disposal = .keep, onRetrievalError: Disposal = .keep,
    write: Writing = .replace, emptyCache: EmptyCache = .noItems
  ) {
    self.maximumAge = maximumAge
    self.onExpired = onExpired
    self.onRetrievalError = onRetrievalError
    self.write = write
    self.emptyCache = emptyCache
  }

  /// Whether a cache with this timestamp is valid at a time.
  ///
  /// A timestamp in the future is valid. A timestamp is invalid if it is not a number, or if it is
  /// tens of thousands of years away, so that no calendar can compute its expiry.
  public func isValid(_ timestamp: Date, at now: Date) -> Bool {
    expiry(of: timestamp).map { now < $0 } ?? true
  }

  /// When a cache with this timestamp expires; nil for never.
  package func expiry(of timestamp: Date) -> Date? {
    switch maximumAge {
    case .unlimited: nil
    case .days(let count, let calendar):
      calendar.expiry(ofDays: count, from: timestamp) ?? .distantPast
    }
  }
}

extension Calendar {
  /// The timestamps whose expiry is computed: the years 1 to 4001, and about 30,000 years before
  /// and after. Outside its own range, a calendar may return the end of that range instead of nil.
  private static var reckonable: Range<TimeInterval> {
    Date.distantPast.timeIntervalSinceReferenceDate - 1e12..<Date.distantFuture
      .timeIntervalSinceReferenceDate + 1e12
  }

  fileprivate func expiry(ofDays count: Int, from timestamp: Date) -> Date? {
    guard Self.reckonable.contains(timestamp.timeIntervalSinceReferenceDate) else { return nil }
    return date(byAdding: .day, value: count, to: timestamp)
  }
}
