#if Cluster
  import NIOCore
  import Synchronization

  // Barriers: `WAIT` on the connections that wrote.
  extension RESPClusterClient {
    package func barrier(
      _ writes: RESPWrites, replicas: Int, timeout: Duration
    ) async -> RESPBarrier {
      let connections = writes.take()
      guard replicas > 0 else { return RESPBarrier(outcomes: [:]) }
      var command = RESPCommand("WAIT", [.integer(replicas), .integer(timeout.milliseconds)])
      command.blockingTime = timeout
      let batch = RESPBatch(count: connections.count)
      let deadline = NIODeadline.now() + TimeAmount(timeout + configuration.deadline)
      for (index, connection) in connections.enumerated() {
        // Another connection has written nothing: a WAIT on it would succeed at once.
        guard connection.isOpen, !connection.wasReplica else {
          batch.complete(index, .failure(RESPClientError(.connectionLost(mayHaveRun: true))))
          continue
        }
        connection.submit([
          RESPConnection.Request(
            command: command, batch: batch, index: index, deadline: deadline)
        ])
      }
      var outcomes: [RESPNode: RESPBarrier.Outcome] = [:]
      for (connection, reply) in zip(connections, await batch.outcomes()) {
        let outcome = outcome(reply, connection, replicas)
        if case .short = outcome { writes.add(connection) }
        if case .confirmed = outcome, outcomes[connection.node] != nil { continue }
        outcomes[connection.node] = outcome
      }
      let barrier = RESPBarrier(outcomes: outcomes)
      if !barrier.isConfirmed { state.withLock { $0.statistics.unconfirmed += 1 } }
      return barrier
    }

    private func outcome(
      _ reply: RESPBatch.Outcome, _ connection: RESPConnection, _ replicas: Int
    ) -> RESPBarrier.Outcome {
      // Also if the slot map has become known during the barrier.
      guard !connection.wasReplica else { return .demoted }
      switch reply {
      case .success(.integer(let count)):
        return count >= replicas ? .confirmed(replicas: count) : .short(replicas: count)
      case .success: return .failed(RESPClientError(.invalidReply("WAIT"), node: connection.node))
      case .failure(let error):
        switch error.cause {
        case .connectionLost, .closed: return .lost
        // The reply to a WAIT in progress, and to one that is sent to a replica.
        case .server(let reply)
        where reply.code == "UNBLOCKED" || reply.message.contains("replica"):
          return .demoted
        default: return .failed(error)
        }
      }
    }
  }

  extension Duration {
    fileprivate var milliseconds: Int { max(1, Int(self / .milliseconds(1))) }
  }
#endif
