import Synchronization

/// Lets one piece of asynchronous work in at a time, in the order of arrival.
final class SerialGate: Sendable {
  private struct Line {
    var isOccupied = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let line = Mutex(Line())

  /// Runs the work when everything that came before has ended. Waiting does not end with a
  /// cancellation: the work before is short, and the work itself may look.
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
