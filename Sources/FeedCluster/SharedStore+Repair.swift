#if Cluster
  package import FeedStorage
  import RESPClient

  /// What a repair found in a feed.
  package struct RepairReport: Sendable {
    package let feed: FeedName
    /// The number of values of the feed in the cluster: its blocks, and the parts of its schema.
    package internal(set) var valueCount = 0
    /// How many were missing or damaged, and were stored again.
    package internal(set) var repairedCount = 0
  }

  extension SharedStore {
    /// The bytes that are compared at once.
    private static let repairBytes = 4 << 20

    /// Stores those blocks of a feed again that the cluster lacks, or has with other bytes than its
    /// near copy, which is verified. No other process changes the feed meanwhile.
    ///
    /// - Parameter isCancelled: called from time to time
    /// - Throws: `notFound` if the cluster has no such feed; `conflict` if the near store lacks the feed or has another state of it; `damaged` if
    ///   its copy is; `busy` while the feed is changed; as a publish
    package func repair(
      _ name: FeedName, from database: FeedDatabase, isCancelled: () -> Bool
    ) throws(StoreError) -> RepairReport {
      guard let lock = try database.lockFeed(name) else { throw isChanged(name) }
      defer { withExtendedLifetime(lock) {} }
      return try ClusterThreads.shared.run(isCancelled: isCancelled) {
        () async throws(StoreError) in
        try await self.verify()
        try await self.requireReplicas()
        guard let ownership = try await FeedOwnership.take(name, of: self) else {
          throw self.isChanged(name)
        }
        do throws(StoreError) {
          let report = try await self.repair(name, from: database)
          await ownership.end()
          return report
        } catch {
          await ownership.end()
          throw error
        }
      }
    }

    private func isChanged(_ name: FeedName) -> StoreError {
      StoreError(.busy, "the feed \(name) is being changed; try again")
    }

    private func repair(
      _ name: FeedName, from database: FeedDatabase
    ) async throws(StoreError) -> RepairReport {
      guard let row = try await row(of: name), !row.isDeleted else {
        throw StoreError(.notFound, "the cluster has no feed \(name); ingest it again")
      }
      guard let near = try database.sharedRow(of: name), near.generation == row.generation else {
        throw StoreError(
          .conflict,
          "the near store has no copy of the latest records of the feed \(name); repair it on the"
            + " host that published it, or ingest it again")
      }
      var report = RepairReport(feed: name)
      let writes = RESPWrites()
      for segment in row.segments {
        var position = FeedDatabase.BlockPosition()
        while true {
          var values: [(key: RESPKey, bytes: [UInt8])] = []
          position = try database.forEachBlock(
            of: segment, after: position, maximumBytes: Self.repairBytes
          ) { key, block throws(StoreError) in
            try database.verify(key, block)
            values.append((keys.block(key), block.withUnsafeBytes { Array($0) }))
          }
          guard !values.isEmpty else { break }
          try await repair(values, writes, &report)
        }
      }
      let schema = try database.feedDescription(named: name)?.schemaText ?? []
      let parts = stride(from: 0, to: schema.count, by: SharedRow.schemaChunkBytes).map { start in
        schema[start..<min(start + SharedRow.schemaChunkBytes, schema.count)]
      }
      try await repair(
        parts.enumerated().map { (keys.schema(row.generation, $0), Array($1)) }, writes, &report)
      guard await isConfirmed(writes, until: .now + options.publishTimeout) else {
        throw StoreError(
          .busy, "the replicas do not confirm the repair of the feed \(name); repeat it")
      }
      return report
    }

    private func repair(
      _ values: [(key: RESPKey, bytes: [UInt8])], _ writes: RESPWrites,
      _ report: inout RepairReport
    ) async throws(StoreError) {
      guard !values.isEmpty else { return }
      let replies = try await settle(
        values.map { value in
          var command = RESPCommand("GET", value.key, access: .readPrimary)
          command.expectedReplyBytes = value.bytes.count
          return command
        })
      var commands: [RESPCommand] = []
      for (value, reply) in zip(values, replies) {
        let isEqual = reply.withBytes { bytes in
          bytes.withUnsafeBytes { $0.elementsEqual(value.bytes) }
        }
        if isEqual == true { continue }
        commands.append(
          RESPCommand("SET", value.key, .bytes(value.bytes), access: .write, isRepeatable: true))
      }
      report.valueCount += values.count
      report.repairedCount += commands.count
      guard !commands.isEmpty else { return }
      _ = try await settle(commands, recording: writes)
    }
  }
#endif
