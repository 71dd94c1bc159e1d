/// Runs work that may block, on a thread of its own, while the caller is suspended: the threads
/// that tasks share are too few to wait on.
///
/// Where the system has no thread to give, the work runs on the caller's.
package func onWorkerThread<Value: Sendable>(
  _ work: @escaping @Sendable () throws -> Value
) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    let run: @Sendable () -> Void = { continuation.resume(with: Result(catching: work)) }
    if let thread = WorkerThread(run) { thread.detach() } else { run() }
  }
}
