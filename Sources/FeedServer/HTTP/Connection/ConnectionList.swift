#if Server
  import NIOCore
  import Synchronization

  /// The connections that are open, up to as many as there may be.
  final class ConnectionList: Sendable {
    private struct State {
      var channels: [ObjectIdentifier: any Channel] = [:]
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
        state.withLock { state in _ = state.channels.removeValue(forKey: ObjectIdentifier(channel))
        }
        metrics.connectionClosed(.http)
      }
      return true
    }

    var isEmpty: Bool { state.withLock { $0.channels.isEmpty } }

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
