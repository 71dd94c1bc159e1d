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
      let outcome = Monitor<Result<Value, Failure>?>(nil)
      start(work, outcome)
      return try outcome.wait { $0 }.get()
    }

    /// Runs work and blocks the calling thread until it has returned.
    ///
    /// - Parameter isCancelled: called on the calling thread from time to time; cancels the task of
    ///   the work if it returns true.
    package func run<Value: Sendable, Failure: Error>(
      isCancelled: () -> Bool, _ work: @escaping @Sendable () async throws(Failure) -> Value
    ) throws(Failure) -> Value {
      let outcome = Monitor<Result<Value, Failure>?>(nil)
      let task = start(work, outcome)
      while true {
        if let outcome = outcome.wait(atMost: .milliseconds(100), until: { $0 }) {
          return try outcome.get()
        }
        if isCancelled() { task.cancel() }
      }
    }

    @discardableResult
    private func start<Value: Sendable, Failure: Error>(
      _ work: @escaping @Sendable () async throws(Failure) -> Value,
      _ outcome: Monitor<Result<Value, Failure>?>
    ) -> Task<Void, Never> {
      Task(executorPreference: self) {
        let result: Result<Value, Failure>
        do throws(Failure) {
          result = .success(try await work())
        } catch {
          result = .failure(error)
        }
        outcome.withLock { $0 = result }
      }
    }
  }
#endif
