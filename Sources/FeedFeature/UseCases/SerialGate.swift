import Synchronization

/// Runs asynchronous operations one at a time, in order of arrival.
final class SerialGate: Sendable {
  private struct Line {
    var isOccupied = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let line = Mutex(Line())

  /// Runs the operation when all earlier ones have ended. Cancellation does not end the wait:
  /// earlier operations are short, and the operation itself may check for cancellation.
  func run<Value>(_ work: () async throws -> Value) async rethrows -> Value {
    await enter()
    defer { leave() }
    return try await work()
  }

  private func enter() async {
    await withCheckedContinuation { continuation in
      let entered = line.withLock { line in
        if line.isOccupied {
          line.waiting.append(continuation)
          return false
        }
        line.isOccupied = true
        return true
      }
      if entered { continuation.resume() }
    }
  }

  private func leave() {
    let next = line.withLock { line -> CheckedContinuation<Void, Never>? in
      if line.waiting.isEmpty {
        line.isOccupied = false
        return nil
      }
      return line.waiting.removeFirst()
    }
    next?.resume()
  }
}
