#if Server
  import NIOCore
  import Threading

  /// The open connections, up to a limit.
  final class ConnectionList: Sendable {
    private struct State {
      var channels: [ObjectIdentifier: any Channel] = [:]
      /// The tasks that serve the connections. A task may end after its connection.
      var tasks: [Int: Task<Void, Never>] = [:]
      /// The number of tasks ever started.
      var taskCount = 0
      /// Whether all connections were closed. New ones are then closed, too.
      var isClosed = false
      /// The number of refused connections that are still open.
      var refused = 0

      var isEmpty: Bool { channels.isEmpty && tasks.isEmpty }
    }

    private let limit: Int
    private let metrics: ServerCounters
    private let state = Monitor(State())

    init(_ context: ServerContext) {
      limit = context.configuration.maximumConnections
      metrics = context.metrics
    }

    /// Adds a connection; false if there are too many.
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
        state.withLock { $0.channels[ObjectIdentifier(channel)] = nil }
      }
      return true
    }

    /// Serves an added connection in a task that is cancelled with it. No response is completed for
    /// a client that has disconnected.
    func serve(_ channel: any Channel, _ body: @escaping @Sendable () async -> Void) {
      let task = Task { await body() }
      channel.closeFuture.whenComplete { _ in task.cancel() }
      let (number, isClosed) = state.withLock { state in
        state.taskCount += 1
        state.tasks[state.taskCount] = task
        return (state.taskCount, state.isClosed)
      }
      // A separate task: when the first has ended, its captures are released.
      Task {
        await task.value
        state.withLock { $0.tasks[number] = nil }
      }
      if isClosed { close() }
    }

    /// Whether a refused connection may stay open until its client has been informed. It counts
    /// while it is open.
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

    var isEmpty: Bool { state.withLock { $0.isEmpty } }

    /// Returns when no connection is open and none is being served. Cancelling the task closes all
    /// connections.
    func ended() async {
      await withTaskCancellationHandler {
        await state.suspend { state in state.isEmpty ? () : nil }
      } onCancel: {
        close()
      }
    }

    /// Lets every connection end after its current response.
    func quiesce() {
      for channel in state.withLock({ Array($0.channels.values) }) {
        channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
      }
    }

    /// Ends every connection now, and those that are accepted later.
    func close() {
      let (channels, tasks) = state.withLock { state in
        state.isClosed = true
        return (Array(state.channels.values), Array(state.tasks.values))
      }
      for channel in channels { channel.close(promise: nil) }
      for task in tasks { task.cancel() }
    }
  }
#endif
