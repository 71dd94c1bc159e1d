#if Cluster
  import Synchronization

  // The slot map: one request at a time, at a minimum interval.
  extension RESPClusterClient {
    package func refresh() async throws(RESPClientError) {
      guard configuration.isCluster else { return }
      try await startRefresh().value.get()
    }

    /// Starts a request for the slots, or joins the one in progress.
    ///
    /// - Parameter sender: the node to ask first, such as one that replied with a redirection
    @discardableResult
    func startRefresh(
      from sender: RESPNode? = nil
    ) -> Task<Result<Void, RESPClientError>, Never> {
      state.withLock { state in
        if let task = state.refreshing { return task }
        let now = ContinuousClock.now
        var start = now
        if let last = state.lastRefresh {
          // Many clients see the same failure at the same time.
          let distance = configuration.minimumRefreshInterval * Double.random(in: 1...1.5)
          start = max(now, last + distance)
        }
        state.lastRefresh = start
        let task = Task(executorPreference: ClusterThreads.shared) {
          [weak self] () -> Result<Void, RESPClientError> in
          if start > now { try? await Task.sleep(until: start, clock: .continuous) }
          guard let self else { return .failure(RESPClientError(.closed)) }
          let result = await self.requestSlots(from: sender)
          self.state.withLock { $0.refreshing = nil }
          return result
        }
        state.refreshing = task
        return task
      }
    }

    /// Asks one node after the other for the slots.
    private func requestSlots(from sender: RESPNode?) async -> Result<Void, RESPClientError> {
      var candidates = sender.map { [$0] } ?? []
      for node in nodes.map(\.node).shuffled() + configuration.seeds where node != sender {
        if !candidates.contains(node) { candidates.append(node) }
      }
      var failure = RESPClientError(.noNode)
      for node in candidates {
        do throws(RESPClientError) {
          let reply = try await send(RESPCommand("CLUSTER", ["SLOTS"]), to: node)
          guard let map = RESPSlotMap(reply, from: node) else {
            failure = RESPClientError(.invalidReply("no slots"), node: node)
            continue
          }
          use(map)
          return .success(())
        } catch {
          failure = error
        }
      }
      return .failure(failure)
    }

    private func use(_ map: RESPSlotMap) {
      let trackers = state.withLock { state in
        state.map = map
        state.statistics.refreshes += 1
        state.trackers.removeAll { $0.tracker == nil }
        return state.trackers
      }
      pool.removeUnused(except: Set(map.nodes.map(\.node)))
      pool.countDemotions(map.nodes.lazy.filter { !$0.isPrimary }.map(\.node))
      for entry in trackers { entry.tracker?.follow(primaries(of: map)) }
    }

    private func primaries(of map: RESPSlotMap) -> Set<RESPNode> {
      Set(map.nodes.lazy.filter(\.isPrimary).map(\.node))
    }

    package func invalidations(prefix: String) -> AsyncStream<RESPInvalidation> {
      let tracker = RESPTracker(prefix: prefix, connector) { [weak self] in
        guard let self, self.configuration.isCluster else { return }
        self.startRefresh()
      }
      let map = state.withLock { state in
        state.trackers.append(WeakTracker(tracker: tracker))
        return state.map
      }
      tracker.follow(primaries(of: map))
      return AsyncStream {
        await tracker.next()
      } onCancel: {
        tracker.close()
      }
    }
  }
#endif
