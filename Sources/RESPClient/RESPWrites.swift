#if Cluster
  import Synchronization

  /// The connections that took writes since the last barrier: one object for each series of writes.
  ///
  /// `WAIT` confirms the writes of its own connection alone. On another connection, or on a node
  /// that was not written to, it would confirm nothing and still succeed.
  package final class RESPWrites: Sendable {
    private let connections = Mutex<[ObjectIdentifier: RESPConnection]>([:])

    package init() {}

    /// Whether there is nothing to confirm.
    package var isEmpty: Bool { connections.withLock { $0.isEmpty } }

    func add(_ connection: RESPConnection) {
      connections.withLock { $0[ObjectIdentifier(connection)] = connection }
    }

    /// Removes all connections; a barrier adds those again that it could not confirm.
    func take() -> [RESPConnection] {
      connections.withLock { connections in
        defer { connections = [:] }
        return Array(connections.values)
      }
    }
  }
#endif
