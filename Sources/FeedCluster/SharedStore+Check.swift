#if Cluster
  package import FeedStorage
  import RESPClient

  extension SharedStore {
    /// Verifies every block of every feed in the cluster.
    ///
    /// Copies one feed after the other into a temporary store, as a new host does, and compares the
    /// records there with their indexes. Needs disk for the largest feed.
    ///
    /// - Throws: errors other than `damaged`, such as `unreachable`
    package func check() throws(StoreError) -> StoreCheckReport {
      var report = StoreCheckReport(environment: "cluster")
      let database = try openNear(at: "/dev/null")
      let names = try ClusterThreads.shared.run { () async throws(StoreError) in
        try await self.names()
      }
      for name in names {
        do throws(StoreError) {
          try check(name, in: database, &report) { false }
        } catch {
          guard error.code == .damaged || error.code == .incompatible else { throw error }
          report.findings.append("\(name): \(error.message)")
        }
      }
      return report
    }

    /// Verifies every block of a feed in the cluster.
    ///
    /// - Parameter database: a temporary near store, which the copy leaves again
    /// - Throws: `damaged` for a block that is missing or damaged
    func check(
      _ name: FeedName, in database: FeedDatabase, _ report: inout StoreCheckReport,
      isCancelled: () -> Bool
    ) throws(StoreError) {
      _ = try ClusterThreads.shared.run(isCancelled: isCancelled) { () async throws(StoreError) in
        try await self.update(name, in: database, isLimited: false)
      }
      guard try database.feedDescription(named: name) != nil else { return }
      let part = try FeedDatabase.check("feeds", at: database.directory)
      report.findings += part.findings.map { "\(name): \($0)" }
      report.feeds += part.feeds
      report.blocks += part.blocks
      report.records += part.records
      guard let lock = try database.lockFeed(name) else { return }
      try database.removeCopy(of: name, holding: lock)
    }
  }
#endif
