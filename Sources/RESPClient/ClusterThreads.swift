#if Cluster
  import NIOPosix
  import Threading

  /// The threads that run the work of a client.
  ///
  /// Callers of a store block their threads, possibly all threads of Swift's own pool. The work
  /// that they wait for therefore runs on separate threads.
  package final class ClusterThreads: TaskExecutor {
    package static let shared = ClusterThreads()

    private let pool = NIOThreadPool(numberOfThreads: 4)

    private init() { pool.start() }

    package func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      pool.submit { [self] _ in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    /// Runs work and blocks the calling thread until it has returned.
    package func run<Value: Sendable, Failure: Error>(
      _ work: @escaping @Sendable () async throws(Failure) -> Value
    ) throws(Failure) -> Value {
      let result = Monitor<Result<Value, Failure>?>(nil)
      Task(executorPreference: self) {
        let outcome: Result<Value, Failure>
        do throws(Failure) {
          outcome = .success(try await work())
        } catch {
          outcome = .failure(error)
        }
        result.withLock { $0 = outcome }
      }
      return try result.wait { $0 }.get()
    }
  }
#endif
