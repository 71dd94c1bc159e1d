#if Server
  import NIOCore
  import Synchronization

  /// What clients have not taken of their answers, within a bound for all of them together: beyond
  /// it the one that has taken nothing for the longest time is cut off, and never the one whose
  /// answer has just begun.
  final class HeldAnswers: Sendable {
    /// Tells a connection's handler that its client is cut off.
    enum Event: Sendable { case cutOff }

    private struct Held {
      let channel: any Channel
      let byteCount: Int
      let since: NIODeadline
    }

    private struct State {
      var answers: [ObjectIdentifier: Held] = [:]
      var byteCount = 0

      mutating func remove(_ identifier: ObjectIdentifier) {
        byteCount -= answers.removeValue(forKey: identifier)?.byteCount ?? 0
      }
    }

    private let capacity: Int
    private let state = Mutex(State())

    /// - Parameter capacity: the bytes of all clients together.
    init(capacity: Int = 32 << 20) { self.capacity = capacity }

    /// Takes note of a client that has so much to take before it is sent more.
    func hold(_ byteCount: Int, for channel: any Channel) {
      let cutOff = state.withLock { state in
        let identifier = ObjectIdentifier(channel)
        state.remove(identifier)
        state.answers[identifier] = Held(channel: channel, byteCount: byteCount, since: .now())
        state.byteCount += byteCount
        var cutOff: [any Channel] = []
        while state.byteCount > capacity,
          let longest = state.answers.filter({ $0.key != identifier })
            .min(by: { $0.value.since < $1.value.since })
        {
          state.remove(longest.key)
          cutOff.append(longest.value.channel)
        }
        return cutOff
      }
      for channel in cutOff { channel.pipeline.fireUserInboundEventTriggered(Event.cutOff) }
    }

    /// The client has taken enough, or is gone.
    func release(_ channel: any Channel) {
      state.withLock { state in state.remove(ObjectIdentifier(channel)) }
    }
  }
#endif
