/// How much a query may read, and for how long.
package struct QueryLimits: Sendable {
  /// The time at which the query ends.
  package var deadline: ContinuousClock.Instant?
  /// The maximum number of bytes of records.
  package var maximumBytes: Int?
  /// The maximum number of threads that count or sort.
  package var threads: Int
  /// Whether the query was cancelled.
  package var isCancelled: @Sendable () -> Bool
  /// Called after each ``pauseBytes`` of records, so that a server can run waiting work.
  package var pause: @Sendable () -> Void

  /// A query reads this in about a tenth of a millisecond.
  package static let pauseBytes = 128 << 10

  package init(
    deadline: ContinuousClock.Instant? = nil, maximumBytes: Int? = nil, threads: Int = 1,
    isCancelled: @escaping @Sendable () -> Bool = { false },
    pause: @escaping @Sendable () -> Void = {}
  ) {
    self.deadline = deadline
    self.maximumBytes = maximumBytes
    self.threads = threads
    self.isCancelled = isCancelled
    self.pause = pause
  }

  /// No limit.
  package static let none = QueryLimits()
}

/// The amount that a query has read so far.
struct QueryMeter {
  private static let step = (records: 64, bytes: QueryLimits.pauseBytes)

  private let limits: QueryLimits
  private var bytes = 0
  private var next = step
  private var nextPause = QueryLimits.pauseBytes

  init(_ limits: QueryLimits) { self.limits = limits }

  /// Counts a record before it is read.
  ///
  /// - Throws: `limitExceeded`; `cancelled`
  @inline(__always)
  mutating func count(_ byteCount: Int) throws(StoreError) {
    bytes &+= byteCount
    next.records &-= 1
    next.bytes &-= byteCount
    // The first record is always read, so that a continued query makes progress.
    if next.records <= 0 || next.bytes <= 0, bytes > byteCount { try check() }
  }

  @inline(never)
  private mutating func check() throws(StoreError) {
    next = Self.step
    if bytes >= nextPause {
      nextPause = bytes + QueryLimits.pauseBytes
      limits.pause()
    }
    if limits.isCancelled() { throw StoreError(.cancelled, "the query was cancelled") }
    if let most = limits.maximumBytes, bytes > most {
      throw StoreError(
        .limitExceeded, "the query has read \(most >> 20) MiB of records and stopped")
    }
    if let deadline = limits.deadline, ContinuousClock.now >= deadline {
      throw StoreError(.limitExceeded, "the query has taken too long and stopped")
    }
  }
}
