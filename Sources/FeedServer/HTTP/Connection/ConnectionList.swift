#if Server
  import NIOCore
  import Synchronization

  /// The connections that are open, up to as many as there may be.
  final class ConnectionList: Sendable {
    private struct State {
      var channels: [ObjectIdentifier: any Channel] = [:]
      /// Those that are refused and still there.
      var refused = 0
      /// Those who wait for the end of all.
      var waiting: [CheckedContinuation<Void, Never>] = []

      mutating func remove(_ channel: any Channel) -> [CheckedContinuation<Void, Never>] {
        channels[ObjectIdentifier(channel)] = nil
        guard channels.isEmpty else { return [] }
        defer { waiting = [] }
        return waiting
      }
    }

    private let limit: Int
    private let metrics: ServerMetrics
    private let state = Mutex(State())

    init(_ context: ServerContext) {
      limit = context.configuration.maximumConnections
      metrics = context.metrics
    }

    /// Takes a connection in; false where there are too many.
    func add(_ channel: any Channel) -> Bool {
      let isAdded = state.withLock { state in
        guard state.channels.count < limit else { return false }
        state.channels[ObjectIdentifier(channel)] = channel
        return true
      }
      guard isAdded else { return false }
      metrics.connectionOpened(.http)
      channel.closeFuture.whenComplete { [self] _ in
        metrics.connectionClosed(.http)
        let waiting = state.withLock { state in state.remove(channel) }
        for one in waiting { one.resume() }
      }
      return true
    }

    /// Whether a connection that is refused can be kept until its client knows; it counts as long
    /// as it is there.
    func keepRefused(_ channel: any Channel) -> Bool {
      let isKept = state.withLock { state in
        guard state.refused < max(limit / 4, 1) else { return false }
        state.refused += 1
        return true
      }
      if isKept {
        channel.closeFuture.whenComplete { [self] _ in state.withLock { $0.refused -= 1 } }
      }
      return isKept
    }

    var isEmpty: Bool { state.withLock { $0.channels.isEmpty } }

    /// Returns when no connection is open. A task that is cancelled closes them.
    func ended() async {
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          let isEmpty = state.withLock { state in
            if !state.channels.isEmpty { state.waiting.append(continuation) }
            return state.channels.isEmpty
          }
          if isEmpty { continuation.resume() }
        }
      } onCancel: {
        close()
      }
    }

    /// Lets every connection end with the answer that it is giving.
    func quiesce() {
      for channel in state.withLock({ Array($0.channels.values) }) {
        channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
      }
    }

    /// Ends every connection now.
    func close() {
      for channel in state.withLock({ Array($0.channels.values) }) {
        channel.close(promise: nil)
      }
    }
  }
#endif
