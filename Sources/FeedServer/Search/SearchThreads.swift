#if Server
  import FeedRecord
  import NIOPosix

  /// The threads on which records are searched.
  ///
  /// A search reads all records of a feed. Swift's own pool has few threads, and some searches at
  /// once would block all other responses. The system schedules these threads fairly.
  final class SearchThreads: TaskExecutor {
    static let shared = SearchThreads()

    private init() {}

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      NIOThreadPool.singleton.submit { [self] _ in
        job.runSynchronously(on: asUnownedTaskExecutor())
      }
    }
  }

  /// The work before others get their turn.
  struct SearchStep {
    private static let recordLimit = 4096
    /// A record may have many megabytes.
    private static let byteLimit = 4 << 20

    private var records = 0
    private var bytes = 0

    /// Whether the step continues with the record after this one.
    mutating func shouldContinue(after record: borrowing RecordView) -> Bool {
      records += 1
      bytes += record.bytes.byteCount
      return records < Self.recordLimit && bytes < Self.byteLimit
    }
  }
#endif
