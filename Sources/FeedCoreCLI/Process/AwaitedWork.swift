import Threading

/// Waits on the main thread for a command's asynchronous work, so that its errors end the program
/// like all others.
enum AwaitedWork {
  /// How often Ctrl-C is checked and progress is drawn.
  private static let interval = Duration.milliseconds(50)

  /// Runs work to its end and returns its result. Ctrl-C cancels the work, but the call still
  /// waits, because the work has to clean up.
  ///
  /// - Parameter whileWaiting: called from time to time, on this thread.
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
