#if Cluster
  package import FeedStorage
  import RESPClient

  /// Publishes feeds again of which a cluster has lost or damaged a part, from a near store.
  ///
  /// The copy becomes a new generation by an ordinary publish, which is safe beside other writers. A
  /// repair that stored single blocks under their old keys would not be: if it stalls, the feed may
  /// be replaced, and its blocks would come back without an owner.
  package struct StoreRepair {
    /// What was done for one feed.
    package enum Outcome: Hashable, Sendable {
      /// The cluster has every block.
      case sound
      /// The cluster has every block, and its set of names has the name again.
      case registered
      /// The feed has been deleted.
      case deleted
      /// The copy was published again.
      case republished(generation: UInt64, records: Int)
    }

    private let store: SharedStore
    private let near: FeedDatabase
    /// A near store for one feed at a time, to which its blocks are copied.
    private let temporary: FeedDatabase
    /// The names that the cluster had at the beginning.
    private let sharedNames: Set<FeedName>
    private let isCancelled: () -> Bool

    /// - Parameters:
    ///   - store: connected without `nearCap`, so that no other copy leaves the near store
    ///   - isCancelled: called from time to time
    package init(
      _ store: SharedStore, from near: FeedDatabase, isCancelled: @escaping () -> Bool
    ) throws(StoreError) {
      self.store = store
      self.near = near
      self.isCancelled = isCancelled
      temporary = try store.openNear(at: "/dev/null")
      sharedNames = Set(
        try ClusterThreads.shared.run { () async throws(StoreError) in try await store.names() })
    }

    /// The sorted names of the feeds in the cluster and in the near store.
    package func names() throws(StoreError) -> [FeedName] {
      sharedNames.union(try near.feedNames()).sorted()
    }

    /// Verifies every block of a feed, and publishes the copy of the near store again if one is
    /// missing or damaged.
    ///
    /// Costs a copy of the feed from the cluster, disk for it, and for a repair the push of the whole
    /// feed.
    ///
    /// - Parameter restoresLost: whether to publish the copy also if the cluster has no readable row
    ///   of the feed, or an older one. Another host may then have later records, which a later
    ///   generation hides.
    /// - Throws: `notFound` for an unknown feed; `damaged` if the near store has no sound copy of the
    ///   present records, or may not restore what is lost; `conflict` if the feed is changed twice
    ///   meanwhile; as an ingest
    package func repair(
      _ name: FeedName, restoresLost: Bool = false
    ) throws(StoreError) -> Outcome {
      do throws(StoreError) {
        return try attempt(name, restoresLost)
      } catch {
        // A feed that another writer has published meanwhile is sound.
        guard error.code == .conflict else { throw error }
        return try attempt(name, restoresLost)
      }
    }

    private func attempt(
      _ name: FeedName, _ restoresLost: Bool
    ) throws(StoreError) -> Outcome {
      try checkCancellation(name)
      // Before the cluster's row, so that a later state of the copy means a loss.
      let copy = try near.sharedRow(of: name)
      let reply = try replyOfRow(name)
      let state = reply.withBytes { SharedState($0) } ?? nil
      guard let row = try row(reply, name) else {
        guard let copy, !copy.isDeleted else {
          guard reply.isNull else { throw withoutCopy(of: name) }
          throw StoreError(.notFound, "there is no feed \(name) in the cluster or on this host")
        }
        if let state, state > copy.state { throw withoutCopy(of: name) }
        guard state == copy.state || restoresLost else {
          throw StoreError(lost: name, generation: copy.generation)
        }
        return try republish(name, replacing: state)
      }
      let isRegistered = sharedNames.contains(name)
      if !isRegistered, !row.isDeleted { try register(name) }
      if let copy, copy.isLater(than: row) {
        guard restoresLost else { throw StoreError(lost: name, generation: copy.generation) }
        return try republish(name, replacing: state)
      }
      if row.isDeleted { return .deleted }
      if try isSound(name) { return isRegistered ? .sound : .registered }
      try checkCancellation(name)
      try refresh(copy, of: row)
      return try republish(name, replacing: state)
    }

    private func checkCancellation(_ name: FeedName) throws(StoreError) {
      guard isCancelled() else { return }
      throw StoreError(.cancelled, "the repair of the feed \(name) was cancelled")
    }

    // MARK: The cluster

    private func replyOfRow(_ name: FeedName) throws(StoreError) -> RESPReply {
      let store = store
      return try ClusterThreads.shared.run(isCancelled: isCancelled) {
        () async throws(StoreError) in
        try await store.settle([store.rowCommand(of: name)])[0]
      }
    }

    /// - Returns: nil if there is none, or a damaged one
    private func row(_ reply: RESPReply, _ name: FeedName) throws(StoreError) -> SharedRow? {
      do throws(StoreError) {
        return try store.decoded(reply, name)
      } catch {
        guard error.code == .damaged else { throw error }
        return nil
      }
    }

    private func isSound(_ name: FeedName) throws(StoreError) -> Bool {
      var report = StoreCheckReport(environment: "cluster")
      do throws(StoreError) {
        try store.check(name, in: temporary, &report, isCancelled: isCancelled)
      } catch {
        guard error.code == .damaged else { throw error }
        return false
      }
      return report.findings.isEmpty
    }

    /// The set of names has the hash tag of the identifier, and can be lost without the rows.
    private func register(_ name: FeedName) throws(StoreError) {
      let store = store
      try ClusterThreads.shared.run(isCancelled: isCancelled) { () async throws(StoreError) in
        let writes = RESPWrites()
        let deadline = ContinuousClock.now + store.options.publishTimeout
        _ = try await store.settle(store.registration(of: name), recording: writes)
        guard await store.isConfirmed(writes, until: deadline) else {
          throw StoreError(
            .busy, "the name of the feed \(name) is not yet on a second node; try again")
        }
      }
    }

    // MARK: The copy

    /// Brings an older copy up to date. It may need only blocks that the cluster has.
    private func refresh(_ copy: SharedRow?, of row: SharedRow) throws(StoreError) {
      guard let copy else { throw withoutCopy(of: row.name) }
      guard row.isLater(than: copy) else { return }
      do throws(StoreError) {
        try store.refreshForChange(of: row.name, in: near, isCancelled: isCancelled)
      } catch {
        guard error.code == .damaged else { throw error }
        throw withoutCopy(of: row.name)
      }
      guard let now = try near.sharedRow(of: row.name), !row.isLater(than: now) else {
        throw StoreError(
          .busy, "another process of this host copies the feed \(row.name); try again")
      }
    }

    private func republish(
      _ name: FeedName, replacing state: SharedState?
    ) throws(StoreError) -> Outcome {
      let description = try near.republish(name, replacing: state, isCancelled: isCancelled)
      return .republished(
        generation: description.generation, records: description.recordCount)
    }

    private func withoutCopy(of name: FeedName) -> StoreError {
      StoreError(
        .damaged,
        "the feed \(name) is damaged in the cluster, and this host has no copy of its present records;"
          + " repair it on a host that is up to date, or ingest it again")
    }
  }
#endif
