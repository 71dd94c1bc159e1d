#if Server
  import NIOCore
  import Synchronization

  /// The connections that are open, up to as many as there may be.
  final class ConnectionList: Sendable {
    private struct State {
      var channels: [ObjectIdentifier: any Channel] = [:]
      /// What serves the connections, and may end after them.
      var tasks: [Int: Task<Void, Never>] = [:]
      /// How many tasks there have been.
      var taskCount = 0
      /// Whether all were ended, and whoever comes now is too.
      var isClosed = false
      /// Those that are refused and still there.
      var refused = 0
      /// Those who wait for the end of all.
      var waiting: [CheckedContinuation<Void, Never>] = []

      var isEmpty: Bool { channels.isEmpty && tasks.isEmpty }
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
        remove { $0.channels[ObjectIdentifier(channel)] = nil }
      }
      return true
    }

    /// Serves a connection that was taken in, in a task that ends with it: for a client that is
    /// known to have gone no answer is made to its end.
    func serve(_ channel: any Channel, _ body: @escaping @Sendable () async -> Void) {
      let task = Task { await body() }
      channel.closeFuture.whenComplete { _ in task.cancel() }
      let (number, isClosed) = state.withLock { state in
        state.taskCount += 1
        state.tasks[state.taskCount] = task
        return (state.taskCount, state.isClosed)
      }
      // Another task: when the first has ended, nothing holds what it served with.
      Task {
        await task.value
        remove { $0.tasks[number] = nil }
      }
      if isClosed { close() }
    }

    private func remove(_ change: (inout State) -> Void) {
      let waiting = state.withLock { state in
        change(&state)
        guard state.isEmpty else { return [CheckedContinuation<Void, Never>]() }
        defer { state.waiting = [] }
        return state.waiting
      }
      for one in waiting { one.resume() }
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

    var isEmpty: Bool { state.withLock { $0.isEmpty } }

    /// Returns when no connection is open and nothing serves one. A task that is cancelled closes
    /// them.
    func ended() async {
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          let isEmpty = state.withLock { state in
            if !state.isEmpty { state.waiting.append(continuation) }
            return state.isEmpty
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

    /// Ends every connection now, and those that are still to come.
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
