#if Server
  import NIOCore
  import Synchronization

  /// The write backlogs of all clients, within a common limit. Beyond it, the client that has
  /// received nothing for the longest time is cut off, and never one whose response has just begun.
  final class WriteBacklog: Sendable {
    /// Notifies a connection's handler that its client is cut off.
    enum Event: Sendable { case cutOff }

    private struct Entry {
      let channel: any Channel
      let byteCount: Int
      let since: NIODeadline
    }

    private struct State {
      var entries: [ObjectIdentifier: Entry] = [:]
      var byteCount = 0

      mutating func remove(_ identifier: ObjectIdentifier) {
        byteCount -= entries.removeValue(forKey: identifier)?.byteCount ?? 0
      }
    }

    private let capacity: Int
    private let state = Mutex(State())

    /// - Parameter capacity: the maximum bytes of all backlogs together.
    init(capacity: Int = 32 << 20) { self.capacity = capacity }

    /// Records the backlog of a client, which must shrink before more is sent.
    func add(_ byteCount: Int, for channel: any Channel) {
      let cutOff = state.withLock { state in
        let identifier = ObjectIdentifier(channel)
        state.remove(identifier)
        state.entries[identifier] = Entry(channel: channel, byteCount: byteCount, since: .now())
        state.byteCount += byteCount
        var cutOff: [any Channel] = []
        while state.byteCount > capacity,
          let longest = state.entries.filter({ $0.key != identifier })
            .min(by: { $0.value.since < $1.value.since })
        {
          state.remove(longest.key)
          cutOff.append(longest.value.channel)
        }
        return cutOff
      }
      for channel in cutOff { channel.pipeline.fireUserInboundEventTriggered(Event.cutOff) }
    }

    /// Removes a client that has received enough or is gone.
    func release(_ channel: any Channel) {
      state.withLock { state in state.remove(ObjectIdentifier(channel)) }
    }
  }
#endif
