import Dispatch

/// Runs tasks one at a time, in the order in which they were made, each up to where it suspends, on
/// a thread of its own: so a test knows that tasks which are to wait for something do so, and a
/// server answers while the tests beside it hold every thread of Swift's pool.
package final class OrderedExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "OrderedExecutor")

  package init() {}

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }

  /// Begins a task behind those that were begun before.
  package func begin<Value: Sendable>(
    _ work: @escaping @Sendable () async throws -> Value
  ) -> Task<Value, any Error> {
    Task(executorPreference: self, operation: work)
  }

  /// Returns when all tasks that were begun have suspended or ended.
  package func settle() async { await Task(executorPreference: self) {}.value }
}
