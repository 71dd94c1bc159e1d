import Dispatch

/// Runs tasks one at a time on its own thread, in the order of their creation, each up to its next
/// suspension.
///
/// A test thus knows that tasks which must wait do so. A server responds even if other tests hold
/// every thread of Swift's pool.
package final class OrderedExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "OrderedExecutor")

  package init() {}

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }

  /// Begins a task after the tasks that were begun before.
  package func begin<Value: Sendable>(
    _ work: @escaping @Sendable () async throws -> Value
  ) -> Task<Value, any Error> {
    Task(executorPreference: self, operation: work)
  }

  /// Returns when all tasks that were begun have suspended or ended.
  package func settle() async { await Task(executorPreference: self) {}.value }
}
