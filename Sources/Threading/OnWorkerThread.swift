/// Runs blocking work on its own thread while the caller is suspended: the cooperative pool has
/// too few threads to block.
///
/// If no thread can be started, the work runs on the caller's.
package func onWorkerThread<Value: Sendable>(
  _ work: @escaping @Sendable () throws -> Value
) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    let run: @Sendable () -> Void = { continuation.resume(with: Result(catching: work)) }
    if let thread = WorkerThread(run) { thread.detach() } else { run() }
  }
}
