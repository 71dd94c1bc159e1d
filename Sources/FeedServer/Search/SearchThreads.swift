#if Server
  import NIOPosix

  /// The threads on which records are searched.
  ///
  /// A search goes through all records of a feed. On the few threads of Swift's own, some of them at
  /// once would let nobody else have an answer; of these threads the system lets all have their turn.
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
