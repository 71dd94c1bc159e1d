#if Server
  import FeedRecord
  import FeedStorage
  import NIOCore
  import NIOPosix

  #if canImport(Glibc)
    import Glibc
  #else
    import Darwin
  #endif

  /// The threads on which records are searched.
  ///
  /// A search reads all records of a feed. Swift's own pool has few threads, and a few concurrent
  /// searches would block all other responses. The system schedules these threads, and prefers
  /// other threads that wait for a processor, such as that of a GET by key.
  final class SearchThreads: TaskExecutor {
    static let shared = SearchThreads()

    private let pool = NIOThreadPool(
      numberOfThreads: NIOSingletons.blockingPoolThreadCountSuggestion)

    private init() { pool.start() }

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      pool.submit { [self] _ in
        // Set for each job, since the pool does not report when a thread starts. It costs two
        // system calls.
        Self.lowerPriority()
        job.runSynchronously(on: asUnownedTaskExecutor())
      }
    }

    /// Lets a thread that waits for the current processor run. A lower priority alone does not
    /// suffice: Linux 6.12 and later let a thread use up its slice of some milliseconds.
    @Sendable static func yield() { sched_yield() }

    /// Makes the current thread yield to others. It still gets about a tenth of a processor that
    /// they keep busy.
    private static func lowerPriority() {
      #if canImport(Glibc)
        // On Linux each thread has a nice value; 0 denotes the calling thread. A server that was
        // started with `nice` keeps its lower priority. A failure only makes other responses
        // slower.
        let process = __priority_which_t(PRIO_PROCESS.rawValue)
        _ = setpriority(process, 0, max(getpriority(process, 0), 10))
      #else
        pthread_set_qos_class_self_np(QOS_CLASS_UTILITY, 0)
      #endif
    }
  }

  /// The limit of the work that a search does before other jobs get the search thread. The thread
  /// yields its processor more often.
  struct SearchStep {
    private static let recordLimit = 4096
    /// A record may have many megabytes.
    private static let byteLimit = 4 << 20

    private var records = 0
    private var bytes = 0
    private var nextYield = QueryLimits.pauseBytes

    /// Whether the step continues with the record after this one.
    mutating func shouldContinue(after record: borrowing RecordView) -> Bool {
      records += 1
      bytes += record.bytes.byteCount
      if bytes >= nextYield {
        nextYield = bytes + QueryLimits.pauseBytes
        SearchThreads.yield()
      }
      return records < Self.recordLimit && bytes < Self.byteLimit
    }
  }
#endif
