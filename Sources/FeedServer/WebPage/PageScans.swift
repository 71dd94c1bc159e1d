#if Server
  import FeedStorage
  import Synchronization

  /// Runs the scans that read many records for a page, each with a deadline. They share the permits
  /// of queries over HTTP.
  final class PageScans: Sendable {
    /// How long a scan may take before it shows what it has found.
    static let timeLimit = Duration.seconds(1)

    /// The number of scans that are in progress or wait.
    private let count = Atomic<Int>(0)
    private let maximumCount: Int

    /// - Parameter waiting: the maximum number of waiting scans for each scan that may be in
    ///   progress
    init(waiting: Int = 8) { maximumCount = QueryRunner.width * (1 + waiting) }

    /// The result of a scan; nil if too many scans wait.
    func run<Value: Sendable>(
      _ body: @escaping @Sendable (QueryLimits) throws -> Value
    ) async throws -> Value? {
      defer { count.subtract(1, ordering: .relaxed) }
      guard count.add(1, ordering: .relaxed).newValue <= maximumCount else { return nil }
      return try await QueryRunner.withPermit {
        try body(
          QueryLimits(
            deadline: ContinuousClock.now + Self.timeLimit, isCancelled: { Task.isCancelled },
            pause: SearchThreads.yield))
      }
    }
  }
#endif
