#if Server
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
#endif
