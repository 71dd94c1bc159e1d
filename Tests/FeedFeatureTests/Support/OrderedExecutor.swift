import Dispatch

/// Runs tasks one at a time, in the order in which they were made, each up to where it suspends.
/// So a test knows that tasks which are to wait for something do so.
final class OrderedExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "OrderedExecutor")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }

  /// Begins a task behind those that were begun before.
  func begin<Value: Sendable>(
    _ work: @escaping @Sendable () async throws -> Value
  ) -> Task<Value, any Error> {
    Task(executorPreference: self, operation: work)
  }

  /// Returns when all tasks that were begun have suspended or ended.
  func settle() async { await Task(executorPreference: self) {}.value }
}
