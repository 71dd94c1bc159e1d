#if Cluster
  import FeedStorage
  import RESPClient

  extension SharedStore {
    /// Sends commands that may run twice. During a failover of a cluster, sends those that failed
    /// for lack of a node again, until `publishTimeout`.
    ///
    /// A node that has not replied may have run its commands, and a node that was replaced may have
    /// lost them. A barrier tells.
    ///
    /// - Returns: the replies in the order of the commands
    func settle(
      _ commands: [RESPCommand], recording writes: RESPWrites? = nil
    ) async throws(StoreError) -> [RESPReply] {
      let deadline = ContinuousClock.now + options.publishTimeout
      var results = await client.send(commands, recording: writes)
      while true {
        let failures = results.indices.filter { results[$0].failure != nil }
        let isTransient = failures.allSatisfy { results[$0].failure?.isTransient ?? false }
        guard url.isCluster, !failures.isEmpty, isTransient, ContinuousClock.now < deadline else {
          break
        }
        // The slots may have moved to another primary.
        try? await client.refresh()
        guard (try? await Task.sleep(for: .milliseconds(50))) != nil else { break }
        let again = await client.send(failures.map { commands[$0] }, recording: writes)
        for (place, result) in zip(failures, again) { results[place] = result }
      }
      guard !Task.isCancelled else {
        throw StoreError(.cancelled, "the change was cancelled")
      }
      var replies: [RESPReply] = []
      replies.reserveCapacity(results.count)
      for result in results {
        do throws(RESPClientError) { replies.append(try result.get()) } catch {
          throw StoreError(error)
        }
      }
      return replies
    }

    /// Runs work of a change that reads. During a failover of a cluster, begins again. Gives up if an
    /// attempt fails later than `publishTimeout` after the first failure.
    func duringFailover<Value: Sendable>(
      _ work: () async throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
      var deadline: ContinuousClock.Instant?
      while true {
        do throws(StoreError) {
          return try await work()
        } catch {
          let isTransient = (error.cause as? RESPClientError)?.isTransient ?? false
          let now = ContinuousClock.now
          let end = deadline ?? now + options.publishTimeout
          guard url.isCluster, isTransient, now < end else { throw error }
          deadline = end
        }
        // The slots may have moved to another primary.
        try? await client.refresh()
        guard (try? await Task.sleep(for: .milliseconds(50))) != nil else {
          throw StoreError(.cancelled, "the change was cancelled")
        }
      }
    }
  }
#endif
