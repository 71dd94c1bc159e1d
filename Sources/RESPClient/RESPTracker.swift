#if Cluster
  import NIOCore
  import Synchronization

  /// Receives the invalidations of one prefix, on one connection to each primary.
  ///
  /// A server does not send an invalidation twice, so each connection that is lost or made counts
  /// as a change of everything.
  final class RESPTracker: Sendable {
    private struct State {
      var connections: [RESPNode: RESPConnection] = [:]
      /// The nodes whose connection has been set up.
      var ready: Set<RESPNode> = []
      /// The attempts in succession to set up a connection that failed.
      var failures: [RESPNode: Int] = [:]
      var keys: [RESPKey] = []
      var isEverything = true
      var isClosed = false
      var waiter: CheckedContinuation<RESPInvalidation?, Never>?
    }

    /// More keys than this count as a change of everything.
    private static let maximumKeys = 10_000
    private static let pingInterval = TimeAmount.seconds(5)

    private let prefix: String
    private let connector: RESPConnector
    /// Called when a connection that was set up has ended: the node may have been replaced.
    private let onLoss: @Sendable () -> Void
    private let state = Mutex(State())

    init(prefix: String, _ connector: RESPConnector, onLoss: @escaping @Sendable () -> Void) {
      self.prefix = prefix
      self.connector = connector
      self.onLoss = onLoss
    }

    deinit { close() }

    // MARK: Events

    /// The next event; nil after the end. One task at a time may wait.
    func next() async -> RESPInvalidation? {
      await withCheckedContinuation { waiter in
        let (previous, event) = state.withLock { state in
          let previous = state.waiter.take()
          guard let event = Self.take(&state) else {
            if !state.isClosed { state.waiter = waiter }
            return (previous, state.isClosed ? .some(nil) : RESPInvalidation??.none)
          }
          return (previous, event)
        }
        previous?.resume(returning: nil)
        if let event { waiter.resume(returning: event) }
      }
    }

    private static func take(_ state: inout State) -> RESPInvalidation? {
      defer { (state.keys, state.isEverything) = ([], false) }
      if state.isEverything { return .everything }
      return state.keys.isEmpty ? nil : .keys(state.keys)
    }

    /// Adds changed keys; nil if everything may have changed.
    private func add(_ keys: [RESPKey]?) {
      let (waiter, event) =
        state.withLock { state in
          if let keys, state.keys.count + keys.count <= Self.maximumKeys {
            state.keys += keys
          } else {
            state.isEverything = true
          }
          guard let waiter = state.waiter.take() else { return (nil, nil) }
          return (waiter, Self.take(&state))
        } as (CheckedContinuation<RESPInvalidation?, Never>?, RESPInvalidation?)
      waiter?.resume(returning: event)
    }

    private func receive(_ push: RESPReply) {
      guard let parts = push.elements, parts.count == 2, parts[0].text == "invalidate" else {
        return
      }
      // Null means all keys.
      let keys = parts[1].elements?.map { key in
        key.withBytes { bytes in RESPKey(bytes.withUnsafeBytes { Array($0) }) }
      }
      add(keys.flatMap { $0.contains(nil) ? nil : $0.compactMap(\.self) })
    }

    // MARK: Connections

    /// Connects to the primaries that are new, and ends the connections to others.
    func follow(_ primaries: Set<RESPNode>) {
      let (ended, started) =
        state.withLock { state in
          guard !state.isClosed else { return ([], []) }
          let ended = state.connections.filter { !primaries.contains($0.key) }
          for node in ended.keys { state.connections[node] = nil }
          let started = primaries.filter { state.connections[$0] == nil }
          for node in started { state.connections[node] = connect(to: node) }
          return (Array(ended.values), Array(started))
        } as ([RESPConnection], [RESPNode])
      for connection in ended { connection.close(.closed) }
      if !ended.isEmpty || !started.isEmpty { add(nil) }
    }

    func close() {
      let (connections, waiter) = state.withLock { state in
        state.isClosed = true
        defer { state.connections = [:] }
        return (Array(state.connections.values), state.waiter.take())
      }
      for connection in connections { connection.close(.closed) }
      waiter?.resume(returning: nil)
    }

    private func connect(to node: RESPNode) -> RESPConnection {
      var events = RESPConnection.Events()
      events.ready = { [weak self] in
        guard let self else { return }
        self.state.withLock { state in
          state.ready.insert(node)
          state.failures[node] = nil
        }
        self.add(nil)
        self.pingLater(node)
      }
      events.push = { [weak self] push in self?.receive(push) }
      events.ended = { [weak self] _, _ in self?.reconnectLater(node) }
      return connector.connect(to: node, trackedPrefix: prefix, events: events)
    }

    private func reconnectLater(_ node: RESPNode) {
      let (ended, wasReady, failures) = state.withLock { state in
        let wasReady = state.ready.remove(node) != nil
        if !wasReady { state.failures[node, default: 0] += 1 }
        return (state.connections[node], wasReady, state.failures[node] ?? 0)
      }
      guard let ended, !ended.isOpen else { return }
      // A connection that was never set up has missed no invalidation.
      if wasReady {
        add(nil)
        onLoss()
      }
      // A node may be away for long, or refuse to track keys. The delay is at most 6 s then.
      let delay = TimeAmount.milliseconds(.random(in: 100...200)) * (1 << min(failures, 5))
      ended.eventLoop.scheduleTask(in: delay) { [weak self] in
        guard let self else { return }
        self.state.withLock { state in
          // The slot map may have changed meanwhile.
          guard state.connections[node] === ended else { return }
          state.connections[node] = self.connect(to: node)
        }
      }
    }

    /// A connection that a firewall has cut would never receive anything.
    private func pingLater(_ node: RESPNode) {
      guard let connection = state.withLock({ $0.connections[node] }), connection.isOpen else {
        return
      }
      connection.eventLoop.scheduleTask(in: Self.pingInterval) { [weak self] in
        guard let self, connection.isOpen else { return }
        connection.submit([
          RESPConnection.Request(
            command: RESPCommand("PING", []), batch: RESPBatch(count: 1), index: 0,
            deadline: .distantFuture)
        ])
        self.pingLater(node)
      }
    }
  }
#endif
