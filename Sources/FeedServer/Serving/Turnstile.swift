#if Server
  import NIOCore
  import Synchronization

  /// Lets so many tasks through at once; the others wait in the order in which they came.
  final class Turnstile: Sendable {
    private struct State {
      var free: Int
      var waiting = CircularBuffer<CheckedContinuation<Void, Never>>()
    }

    private let state: Mutex<State>

    init(_ count: Int) { state = Mutex(State(free: count)) }

    /// Waits for a place. Each is left once.
    func enter() async {
      await withCheckedContinuation { continuation in
        let isFree = state.withLock { state in
          guard state.free > 0 else {
            state.waiting.append(continuation)
            return false
          }
          state.free -= 1
          return true
        }
        if isFree { continuation.resume() }
      }
    }

    func leave() {
      let next = state.withLock { state in
        let next = state.waiting.popFirst()
        if next == nil { state.free += 1 }
        return next
      }
      next?.resume()
    }
  }
#endif
