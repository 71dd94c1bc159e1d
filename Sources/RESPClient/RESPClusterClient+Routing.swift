#if Cluster
  import NIOCore
  import Synchronization

  // Sends commands to their nodes, with redirections and retries.
  extension RESPClusterClient {
    /// A command that has no final outcome.
    private struct Attempt {
      let index: Int
      /// The node that a redirection names; nil for the node of the slot map.
      var node: RESPNode?
      var isAsking = false
      /// Nodes to avoid, because they are loading or cannot be reached.
      var avoided: RESPNode?
      /// Whether an earlier attempt may have changed data.
      var mayHaveRun = false
    }

    package func send(
      _ commands: [RESPCommand], recording writes: RESPWrites?
    ) async -> [Result<RESPReply, RESPClientError>] {
      var results = [RESPBatch.Outcome](
        repeating: .failure(RESPClientError(.cancelled)), count: commands.count)
      var attempts = commands.indices.map { Attempt(index: $0) }
      let deadline = NIODeadline.now() + TimeAmount(configuration.deadline)
      let lastMoment = TimeAmount(configuration.deadline / 10)
      var round = 0
      while !attempts.isEmpty {
        let batch = RESPBatch(count: attempts.count)
        submit(attempts, of: commands, to: batch, deadline, writes)
        let outcomes = await batch.outcomes()
        var next: [Attempt] = []
        var pauses = round >= 2
        for (attempt, outcome) in zip(attempts, outcomes) {
          let command = commands[attempt.index]
          // An earlier error is more useful than the error that a command was not sent again in
          // time.
          if round == 0 || outcome.failure?.cause != .timeout(mayHaveRun: false) {
            results[attempt.index] = outcome.mapError { error in
              var error = error
              error.slot = command.slot
              error.mayHaveRunBefore = attempt.mayHaveRun
              return error
            }
          }
          guard case .failure(let error) = outcome else { continue }
          switch retry(attempt, command, after: error) {
          case .now(let attempt): next.append(attempt)
          case .later(let attempt):
            next.append(attempt)
            pauses = true
          case .never: break
          }
        }
        // An attempt without enough time for its reply would only make the outcome unknown.
        guard !next.isEmpty, NIODeadline.now() + lastMoment < deadline else { break }
        if pauses {
          // 10, 20, 40 … ms with jitter: a failover takes seconds.
          let pause = Duration.milliseconds(min(10 << min(round, 5), 200))
          guard (try? await Task.sleep(for: pause * Double.random(in: 0.5...1))) != nil else {
            break
          }
        }
        attempts = next
        round += 1
      }
      return results
    }

    private func submit(
      _ attempts: [Attempt], of commands: [RESPCommand], to batch: RESPBatch,
      _ deadline: NIODeadline, _ writes: RESPWrites?
    ) {
      let map = state.withLock { $0.map }
      var groups: [RESPNode: [RESPConnection.Request]] = [:]
      // One replica for all reads of a shard, so that those of a slot run in their order.
      var readers: [RESPNode: RESPNode] = [:]
      for (index, attempt) in attempts.enumerated() {
        let command = commands[attempt.index]
        guard
          let node = attempt.node
            ?? node(
              for: command, in: map, avoiding: attempt.avoided, &readers)
        else {
          batch.complete(index, .failure(RESPClientError(.noNode)))
          continue
        }
        groups[node, default: []].append(
          RESPConnection.Request(
            command: command, batch: batch, index: index,
            deadline: deadline + TimeAmount(command.blockingTime), isAsking: attempt.isAsking,
            writes: writes))
      }
      for (node, requests) in groups {
        do throws(RESPClientError) {
          try pool.connection(to: node).submit(requests)
        } catch {
          for request in requests { batch.complete(request.index, .failure(error)) }
        }
      }
    }

    private func node(
      for command: RESPCommand, in map: RESPSlotMap, avoiding avoided: RESPNode?,
      _ readers: inout [RESPNode: RESPNode]
    ) -> RESPNode? {
      let shard = command.slot.map { map.shard(of: $0) } ?? map.shards.randomElement()
      guard let shard else { return nil }
      guard command.access == .read, configuration.reading == .replica else { return shard.primary }
      if let reader = readers[shard.primary], reader != avoided { return reader }
      let usable = shard.replicas.filter { $0 != avoided && !pool.isCircuitOpen($0) }
      let reader = usable.randomElement() ?? shard.primary
      readers[shard.primary] = reader
      return reader
    }

    private enum Retry {
      case now(Attempt)
      case later(Attempt)
      case never
    }

    private func retry(
      _ attempt: Attempt, _ command: RESPCommand, after error: RESPClientError
    ) -> Retry {
      guard configuration.isCluster else {
        let isLoading =
          if case .unavailable(let reply) = error.cause { reply.code == "LOADING" } else { false }
        return isLoading || isUnsent(error, command) ? again(attempt, after: error) : .never
      }
      switch error.cause {
      case .unavailable(let reply):
        if let redirection = RESPRedirection(reply, from: error.node) {
          return .now(follow(redirection, attempt, from: error.node))
        }
        // A slot that moves says nothing about the other slots.
        if reply.code != "TRYAGAIN", reply.code != "LOADING" { startRefresh() }
        return again(attempt, after: error)
      case .noNode:
        startRefresh()
        return again(attempt, after: error)
      case .connectionLost, .unreachable:
        startRefresh()
        return isUnsent(error, command) ? again(attempt, after: error) : .never
      case .circuitOpen where command.access == .read && configuration.reading == .replica:
        return again(attempt, after: error)
      default: return .never
      }
    }

    /// Whether the command may be sent after a lost connection.
    private func isUnsent(_ error: RESPClientError, _ command: RESPCommand) -> Bool {
      switch error.cause {
      case .unreachable: true
      case .connectionLost(let mayHaveRun): !mayHaveRun || command.isRepeatable
      default: false
      }
    }

    private func again(_ attempt: Attempt, after error: RESPClientError) -> Retry {
      state.withLock { $0.statistics.retries += 1 }
      return .later(
        Attempt(
          index: attempt.index, avoided: error.node,
          mayHaveRun: attempt.mayHaveRun || error.mayHaveRun))
    }

    /// Uses the address in the error at once, and refreshes the map afterwards from its sender.
    private func follow(
      _ redirection: RESPRedirection, _ attempt: Attempt, from sender: RESPNode?
    ) -> Attempt {
      switch redirection {
      case .ask(let node):
        state.withLock { $0.statistics.asked += 1 }
        return Attempt(
          index: attempt.index, node: node, isAsking: true, mayHaveRun: attempt.mayHaveRun)
      case .moved(let slot, let node):
        state.withLock { state in
          state.statistics.moved += 1
          state.map.move(slot, to: node)
        }
        startRefresh(from: sender)
        return Attempt(index: attempt.index, node: node, mayHaveRun: attempt.mayHaveRun)
      }
    }
  }
#endif
