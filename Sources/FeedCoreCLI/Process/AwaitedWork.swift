import Threading

/// Asynchronous work of a command, waited for on the main thread: what a command throws ends the
/// program where all others do.
enum AwaitedWork {
  /// How often Ctrl-C is looked for, and progress drawn.
  private static let interval = Duration.milliseconds(50)

  /// Runs work to its end and gives its outcome. Ctrl-C cancels it; it is waited for all the same,
  /// because it has something to clean up.
  ///
  /// - Parameter whileWaiting: called now and then, on this thread.
  static func result<Value: Sendable>(
    whileWaiting: () -> Void = {}, of work: @escaping @Sendable () async throws -> Value
  ) -> Result<Value, any Error> {
    let outcome = Monitor<Result<Value, any Error>?>(nil)
    let task = Task {
      let result = await Self.outcome(of: work)
      outcome.withLock { $0 = result }
    }
    while true {
      if let result = outcome.wait(atMost: interval, until: { $0 }) { return result }
      if Interruption.isRequested { task.cancel() }
      whileWaiting()
    }
  }

  private static func outcome<Value>(
    of work: @Sendable () async throws -> Value
  ) async -> Result<Value, any Error> {
    do { return .success(try await work()) } catch { return .failure(error) }
  }
}
