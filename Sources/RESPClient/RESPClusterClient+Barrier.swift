#if Cluster
  import NIOCore
  import Synchronization

  // Barriers: `WAIT` on the connections that wrote.
  extension RESPClusterClient {
    package func barrier(
      _ writes: RESPWrites, replicas: Int, timeout: Duration
    ) async -> RESPBarrier {
      let entries = writes.take()
      guard replicas > 0 else { return RESPBarrier(outcomes: [:]) }
      var command = RESPCommand("WAIT", [.integer(replicas), .integer(timeout.milliseconds)])
      command.blockingTime = timeout
      let batch = RESPBatch(count: entries.count)
      let deadline = NIODeadline.now() + TimeAmount(timeout + configuration.deadline)
      for (index, entry) in entries.enumerated() {
        // `WAIT` on another connection, which has written nothing, would succeed at once.
        guard entry.connection.isOpen, !entry.isDemoted else {
          batch.complete(index, .failure(RESPClientError(.connectionLost(mayHaveRun: true))))
          continue
        }
        entry.connection.submit([
          RESPConnection.Request(
            command: command, batch: batch, index: index, deadline: deadline)
        ])
      }
      var outcomes: [RESPNode: RESPBarrier.Outcome] = [:]
      for (entry, reply) in zip(entries, await batch.outcomes()) {
        let node = entry.connection.node
        let outcome = outcome(reply, entry, replicas)
        if case .short = outcome { writes.add(entry) }
        // Of two connections to one node, the worse outcome counts.
        if let other = outcomes[node], other.severity >= outcome.severity { continue }
        outcomes[node] = outcome
      }
      let barrier = RESPBarrier(outcomes: outcomes)
      if !barrier.isConfirmed { state.withLock { $0.statistics.unconfirmed += 1 } }
      return barrier
    }

    private func outcome(
      _ reply: RESPBatch.Outcome, _ entry: RESPWrites.Entry, _ replicas: Int
    ) -> RESPBarrier.Outcome {
      // A slot map that arrived during the barrier may also have shown the node as a replica.
      guard !entry.isDemoted else { return .demoted }
      switch reply {
      case .success(.integer(let count)):
        return count >= replicas ? .confirmed(replicas: count) : .short(replicas: count)
      case .success:
        return .failed(RESPClientError(.invalidReply("WAIT"), node: entry.connection.node))
      case .failure(let error):
        switch error.cause {
        case .connectionLost, .closed: return .lost
        // The replies to a `WAIT` in progress and to a `WAIT` that is sent to a replica.
        case .server(let reply)
        where reply.code == "UNBLOCKED" || reply.message.contains("replica"):
          return .demoted
        default: return .failed(error)
        }
      }
    }
  }

  extension RESPBarrier.Outcome {
    fileprivate var severity: Int {
      switch self {
      case .confirmed: 0
      case .short: 1
      case .demoted, .lost, .failed: 2
      }
    }
  }

  extension Duration {
    fileprivate var milliseconds: Int { max(1, Int(self / .milliseconds(1))) }
  }
#endif
