#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What a cached feed is worth, and what becomes of it: how old it may be, what loading does with
/// one that is too old or cannot be read, and how a feed is saved.
///
/// A policy is a value; ``LocalFeedLoader`` follows it. Each of the five apps has a preset, to be
/// changed where a feed of one's own differs:
///
/// ```swift
/// var policy = CachePolicy.essential
/// policy.maximumAge = .days(1)
/// ```
public struct CachePolicy: Hashable, Sendable {
  /// How old a cache may be.
  public enum MaximumAge: Hashable, Sendable {
    /// A cache never expires.
    case unlimited
    /// A cache expires when this many days of the calendar, in its time zone, have passed: to the
    /// second so many days old is expired.
    case days(Int, in: Calendar)

    /// So many days of the Gregorian calendar in the process's time zone, as the apps count them.
    /// Where only `FoundationEssentials` is linked, on Linux, the process knows GMT alone.
    public static func days(_ count: Int) -> MaximumAge {
      .days(count, in: Calendar(identifier: .gregorian))
    }
  }

  /// What becomes of a cache.
  public enum Disposal: Hashable, Sendable {
    /// It stays where it is.
    case keep
    /// It is deleted; whether that succeeds changes nothing of what is delivered.
    case delete
  }

  /// How a feed is saved.
  public enum Writing: Hashable, Sendable {
    /// The cache is deleted, then the feed is inserted.
    case replace
    /// The feed is added to what is cached; nothing is deleted.
    case append
  }

  /// What loading delivers where there is no valid cache.
  public enum EmptyCache: Hashable, Sendable {
    /// No items, and no error.
    case noItems
    /// A ``LocalFeedError``.
    case error
  }

  /// What a date that is not as its contract has it (ISO 8601 with a zone, RFC 3339) does to a
  /// payload. It is the reader of the payload that follows this.
  public enum Dates: String, Hashable, Sendable, CaseIterable {
    /// It makes the payload invalid ("Invalid data" of the documents).
    case strict
    /// It is read in the forms that services use besides: a space in place of the `T` or before the
    /// zone; no zone, which is UTC; `UTC` or `GMT`; an offset of hours alone; no seconds; no time,
    /// which is midnight; a comma before the fraction; and the dates of mail and RSS (RFC 5322,
    /// section 3.3). A text that is none of these is absent where the field may be missing, else
    /// it makes the payload invalid. The news app's code takes it for now, which would show the
    /// oldest article as the newest.
    case lenient
  }

  /// How old a cache may be.
  public var maximumAge: MaximumAge
  /// What loading does with an expired cache. Validating deletes it in any case.
  public var onExpired: Disposal
  /// What loading does with a cache that cannot be retrieved. Validating deletes it in any case.
  public var onRetrievalError: Disposal
  /// How a feed is saved.
  public var write: Writing
  /// What loading delivers where there is no valid cache.
  public var emptyCache: EmptyCache
  /// What a date that is not as its contract has it does to a payload.
  public var dates: Dates

  /// Makes a policy. What is left out is as most of the documents have it: loading changes
  /// nothing, saving replaces, no cache is no items, a bad date is an error.
  public init(
    maximumAge: MaximumAge, onExpired: Disposal = .keep, onRetrievalError: Disposal = .keep,
    write: Writing = .replace, emptyCache: EmptyCache = .noItems, dates: Dates = .strict
  ) {
    self.maximumAge = maximumAge
    self.onExpired = onExpired
    self.onRetrievalError = onRetrievalError
    self.write = write
    self.emptyCache = emptyCache
    self.dates = dates
  }

  /// Whether a cache with this timestamp is valid now.
  ///
  /// A timestamp in the future is valid. One whose expiry no calendar can tell, tens of thousands of
  /// years away, is not, nor is one that is not a number.
  public func isValid(_ timestamp: Date, at now: Date) -> Bool {
    expiry(of: timestamp).map { now < $0 } ?? true
  }

  /// When a cache with this timestamp stops being valid; nil for never.
  package func expiry(of timestamp: Date) -> Date? {
    switch maximumAge {
    case .unlimited: nil
    case .days(let count, let calendar):
      calendar.expiry(ofDays: count, from: timestamp) ?? .distantPast
    }
  }
}

extension Calendar {
  /// Some thousands of years around all dates in use. Beyond its range a calendar may answer with
  /// the end of that range in place of nothing.
  private static var reckonable: Range<TimeInterval> {
    Date.distantPast.timeIntervalSinceReferenceDate - 1e12..<Date.distantFuture
      .timeIntervalSinceReferenceDate + 1e12
  }

  fileprivate func expiry(ofDays count: Int, from timestamp: Date) -> Date? {
    guard Self.reckonable.contains(timestamp.timeIntervalSinceReferenceDate) else { return nil }
    return date(byAdding: .day, value: count, to: timestamp)
  }
}
