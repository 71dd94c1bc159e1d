import Synchronization

/// Runs asynchronous operations in the order in which they were added.
///
/// A change starts when everything added before it has ended. Reads start when the changes before
/// them have ended, and run next to each other. An operation that fails does not affect the others.
package final class OrderedTasks: Sendable {
  private typealias Ended = Task<Void, Never>

  private struct State {
    var lastChange: Ended?
    /// Ends with all reads since the last change.
    var reads: Ended?
  }

  private let state = Mutex(State())

  package init() {}

  /// Adds a change at once; the caller may await its end.
  @discardableResult
  package func change<Value: Sendable>(
    _ operation: @escaping @Sendable () async throws -> Value
  ) -> Task<Value, any Error> {
    state.withLock { state in
      let task = Self.task(operation, after: [state.lastChange, state.reads])
      state = State(lastChange: Task { _ = await task.result })
      return task
    }
  }

  /// Adds a read at once; the caller may await its end.
  package func read<Value: Sendable>(
    _ operation: @escaping @Sendable () async throws -> Value
  ) -> Task<Value, any Error> {
    state.withLock { state in
      let task = Self.task(operation, after: [state.lastChange])
      state.reads = Task { [reads = state.reads] in
        await reads?.value
        _ = await task.result
      }
      return task
    }
  }

  /// Returns when everything that was added before has ended.
  package func waitUntilIdle() async {
    let (change, reads) = state.withLock { ($0.lastChange, $0.reads) }
    await change?.value
    await reads?.value
  }

  private static func task<Value: Sendable>(
    _ operation: @escaping @Sendable () async throws -> Value, after earlier: [Ended?]
  ) -> Task<Value, any Error> {
    Task {
      for task in earlier { await task?.value }
      return try await operation()
    }
  }
}
