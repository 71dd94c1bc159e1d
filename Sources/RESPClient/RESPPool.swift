#if Cluster
  import NIOCore
  import Synchronization

  /// The connections to all nodes, one each, with a circuit breaker for each node.
  final class RESPPool: Sendable {
    private struct Entry {
      var connection: RESPConnection?
      /// The timeouts since the last reply.
      var timeouts = 0
      /// Nothing is sent before this time.
      var openUntil = NIODeadline.uptimeNanoseconds(0)
    }

    private struct State {
      var entries: [RESPNode: Entry] = [:]
      var isClosed = false
      var timeouts = 0
      var onCircuitOpen: (@Sendable () -> Void)?
    }

    private let connector: RESPConnector
    private let state = Mutex(State())

    init(_ connector: RESPConnector) { self.connector = connector }

    deinit { close() }

    /// Sets what is called when the breaker of a node opens.
    func onCircuitOpen(_ body: @escaping @Sendable () -> Void) {
      state.withLock { $0.onCircuitOpen = body }
    }

    /// The timeouts of all connections.
    var timeouts: Int { state.withLock { $0.timeouts } }

    /// The connection to a node, which is made if there is none.
    func connection(to node: RESPNode) throws(RESPClientError) -> RESPConnection {
      try state.withLock { state throws(RESPClientError) in
        guard !state.isClosed else { throw RESPClientError(.closed, node: node) }
        var entry = state.entries[node] ?? Entry()
        if let connection = entry.connection, connection.isOpen { return connection }
        let now = NIODeadline.now()
        guard entry.openUntil <= now else { throw RESPClientError(.circuitOpen, node: node) }
        let events = RESPConnection.Events { [weak self] cause, hasReplied in
          self?.ended(node, cause, hasReplied)
        }
        let connection = connector.connect(to: node, events: events)
        entry.connection = connection
        state.entries[node] = entry
        return connection
      }
    }

    /// Whether nothing is sent to the node for now.
    func isCircuitOpen(_ node: RESPNode) -> Bool {
      state.withLock { ($0.entries[node]?.openUntil ?? .uptimeNanoseconds(0)) > .now() }
    }

    /// Notes which nodes are replicas now.
    func countDemotions(_ nodes: some Sequence<RESPNode>) {
      state.withLock { state in
        for node in nodes { state.entries[node]?.connection?.countDemotion() }
      }
    }

    /// Removes the entries of nodes without an open connection. Barriers need open ones.
    func removeUnused(except known: Set<RESPNode>) {
      state.withLock { state in
        state.entries = state.entries.filter { node, entry in
          known.contains(node) || entry.connection?.isOpen == true
        }
      }
    }

    func close() {
      let connections = state.withLock { state in
        state.isClosed = true
        defer { state.entries = [:] }
        return state.entries.values.compactMap(\.connection)
      }
      for connection in connections { connection.close(.closed) }
    }

    private func ended(_ node: RESPNode, _ cause: RESPClientError.Cause, _ hasReplied: Bool) {
      let onCircuitOpen: (@Sendable () -> Void)? = state.withLock { state in
        guard var entry = state.entries[node] else { return nil }
        if hasReplied { entry.timeouts = 0 }
        var opens = false
        if case .timeout = cause {
          state.timeouts += 1
          entry.timeouts += 1
          opens = entry.timeouts >= connector.configuration.breakerTimeouts
          // After the pause, one more timeout opens it again.
          if opens {
            entry.openUntil = .now() + TimeAmount(connector.configuration.breakerTime)
          }
        }
        state.entries[node] = entry
        return opens ? state.onCircuitOpen : nil
      }
      onCircuitOpen?()
    }
  }

  extension RESPConnection.Events {
    fileprivate init(ended: @escaping @Sendable (RESPClientError.Cause, Bool) -> Void) {
      self.init()
      self.ended = ended
    }
  }
#endif
