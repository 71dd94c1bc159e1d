#if Server
  import FeedStorage
  import Synchronization
  import Threading

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// Runs what reads many records for a page: on the search threads, one fewer at once than there are
  /// cores, each with a deadline.
  final class PageScans: Sendable {
    /// How long a scan may take before it shows what it has found.
    static let timeLimit = Duration.seconds(1)

    private let permits: AsyncSemaphore
    /// The number of scans in progress, and of those that wait.
    private let count = Atomic<Int>(0)
    private let maximumCount: Int

    /// - Parameters:
    ///   - width: the number of scans at once
    ///   - waiting: the maximum number of those that wait, for each of these
    init(
      width: Int = max(ProcessInfo.processInfo.activeProcessorCount - 1, 1), waiting: Int = 8
    ) {
      permits = AsyncSemaphore(width)
      maximumCount = width * (1 + waiting)
    }

    /// The result of a scan; nil if too many others wait.
    func run<Value: Sendable>(
      _ body: @escaping @Sendable (QueryLimits) throws -> Value
    ) async throws -> Value? {
      defer { count.subtract(1, ordering: .relaxed) }
      guard count.add(1, ordering: .relaxed).newValue <= maximumCount else { return nil }
      try await permits.waitUnlessCancelled()
      defer { permits.signal() }
      return try await withTaskExecutorPreference(SearchThreads.shared) {
        try await Self.call(body)
      }
    }

    @concurrent
    private static func call<Value: Sendable>(
      _ body: @Sendable (QueryLimits) throws -> Value
    ) async throws -> Value {
      try body(
        QueryLimits(deadline: ContinuousClock.now + timeLimit, isCancelled: { Task.isCancelled }))
    }
  }
#endif
