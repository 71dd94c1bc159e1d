import Threading

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Ctrl-C, for the commands that have to clean up.
enum Interruption {
  /// True once the process has been asked to stop.
  static var isRequested: Bool { ProcessInterruption.isRequested }

  /// From now on the first Ctrl-C is recorded and the second one ends the process.
  ///
  /// If SIGINT is ignored, as under nohup, it stays ignored.
  static func install() {
    // Ensures that the flag exists: a signal handler must not create it.
    guard !isRequested else { return }
    guard !isIgnored(SIGINT) else { return }
    var action = sigaction()
    // Without SA_RESTART, a blocked read or write returns.
    action.sa_flags = CInt(truncatingIfNeeded: SA_RESETHAND)
    #if canImport(Glibc)
      action.__sigaction_handler.sa_handler = noteInterruption
    #else
      action.__sigaction_u.__sa_handler = noteInterruption
    #endif
    sigaction(SIGINT, &action, nil)
  }

  /// Whether the parent process has requested that a signal is ignored.
  static func isIgnored(_ signal: CInt) -> Bool {
    var action = sigaction()
    sigaction(signal, nil, &action)
    #if canImport(Glibc)
      let handler = action.__sigaction_handler.sa_handler
    #else
      let handler = action.__sigaction_u.__sa_handler
    #endif
    return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}

// A global function: a C callback cannot capture anything.
private func noteInterruption(_ signal: CInt) {
  ProcessInterruption.request()
}

/// Waits on the main thread for a command's asynchronous work, so that its errors end the program
/// like all others.
enum AwaitedWork {
  /// How often Ctrl-C is checked and progress is drawn.
  private static let interval = Duration.milliseconds(50)

  /// Runs work to its end and returns its result. Ctrl-C cancels the work, but the call still
  /// waits, because the work has to clean up.
  ///
  /// - Parameters:
  ///   - cancelsIfInterrupted: false for work that ends by itself, as a server does once its
  ///     responses are complete.
  ///   - whileWaiting: called from time to time, on this thread.
  static func result<Value: Sendable>(
    cancelsIfInterrupted: Bool = true, whileWaiting: () -> Void = {},
    of work: @escaping @Sendable () async throws -> Value
  ) -> Result<Value, any Error> {
    let outcome = Monitor<Result<Value, any Error>?>(nil)
    let task = Task {
      let result = await Self.outcome(of: work)
      outcome.withLock { $0 = result }
    }
    while true {
      if let result = outcome.wait(atMost: interval, until: { $0 }) { return result }
      if cancelsIfInterrupted, Interruption.isRequested { task.cancel() }
      whileWaiting()
    }
  }

  private static func outcome<Value>(
    of work: @Sendable () async throws -> Value
  ) async -> Result<Value, any Error> {
    do { return .success(try await work()) } catch { return .failure(error) }
  }
}
