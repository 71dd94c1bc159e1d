#if Cluster
  import FeedStorage
  import RESPClient

  extension SharedStore {
    /// Whether replicas have what was written. A barrier that is short is repeated, since the writes
    /// stand.
    func isConfirmed(
      _ writes: RESPWrites, until deadline: ContinuousClock.Instant
    ) async -> Bool {
      guard url.wait > 0 else { return true }
      while true {
        let barrier = await client.barrier(writes, replicas: url.wait, timeout: .seconds(2))
        if barrier.isConfirmed { return true }
        if barrier.mayHaveLostWrites || ContinuousClock.now >= deadline { return false }
      }
    }
  }

  extension RESPClientError {
    /// Whether a change may succeed when the cluster has recovered.
    var isTransient: Bool {
      switch cause {
      case .notPermitted, .server, .outOfMemory, .invalidReply, .cancelled, .closed: false
      default: true
      }
    }
  }
#endif
