#if Cluster
  package import FeedStorage
  import RESPClient
  import Synchronization

  extension SharedStore: FeedAuthority {
    /// The blocks of one request. A reply of 64 blocks has at most 4 MiB.
    private static let blocksAtOnce = 64

    package func refresh(
      _ name: FeedName, in database: FeedDatabase
    ) throws(StoreError) {
      let update = try ClusterThreads.shared.run { () async throws(StoreError) in
        try await self.update(name, in: database)
      }
      try requireCopy(of: name, in: database, after: update)
    }

    private func requireCopy(
      of name: FeedName, in database: FeedDatabase, after update: Update
    ) throws(StoreError) {
      guard update == .busy, try database.feedDescription(named: name) == nil else { return }
      throw StoreError(
        .busy, "another process of this host changes or copies the feed \(name); try again")
    }

    package func refreshForChange(
      of name: FeedName, in database: FeedDatabase, isCancelled: () -> Bool
    ) throws(StoreError) {
      let update = try ClusterThreads.shared.run(isCancelled: isCancelled) {
        () async throws(StoreError) in
        try await self.duringFailover { () async throws(StoreError) in
          try await self.update(name, in: database)
        }
      }
      try requireCopy(of: name, in: database, after: update)
    }

    package func replaceCopy(
      of name: FeedName, in database: FeedDatabase, holding lock: FeedLock
    ) throws(StoreError) -> Bool {
      try ClusterThreads.shared.run { () async throws(StoreError) in
        // Without a row, the copy may be the only one.
        guard let row = try await self.row(of: name), !row.isDeleted else { return false }
        try database.removeCopy(of: name, holding: lock)
        try await self.copy(row, name, to: database, holding: lock)
        return true
      }
    }

    package var limitsCopies: Bool { options.nearCap != nil }

    package func mayHaveFeed(_ name: FeedName) -> Bool {
      // Before the first `look`, any feed may exist.
      knownFeeds.withLock { $0?.contains(name) ?? true }
    }

    /// The result of updating the near copy of a feed.
    package enum Update: Sendable {
      case unchanged
      case changed
      case deleted
      /// The cluster has no row for it, or an older one than the near store, which keeps its copy.
      case lost
      /// The feed is being changed by another process.
      case busy
    }

    /// Brings the near copy of a feed up to date.
    ///
    /// - Parameters:
    ///   - isLimited: whether `near-cap` applies.
    ///   - isNear: whether only an existing copy is brought up to date.
    func update(
      _ name: FeedName, in database: FeedDatabase, isLimited: Bool = true, isNear: Bool = false
    ) async throws(StoreError) -> Update {
      var row = try await row(of: name)
      note(name, isThere: row?.isDeleted == false)
      guard try isLater(row, in: database, name) else {
        guard let near = try database.sharedRow(of: name) else { return .unchanged }
        return row.map { near.isLater(than: $0) } ?? true ? .lost : .unchanged
      }
      guard let lock = try await lock(name, in: database) else { return .busy }
      // The copy may have been removed meanwhile for lack of space.
      if isNear, try database.sharedRow(of: name) == nil { return .unchanged }
      while true {
        do throws(StoreError) {
          // Another process may have copied it meanwhile.
          return try await copy(
            row, name, to: database, holding: lock, isLimited: isLimited)
        } catch {
          // Two changes during a copy remove the blocks that it still needs.
          guard error.code == .damaged, let current = row,
            let latest = try await self.row(of: name), latest.isLater(than: current)
          else { throw error }
          row = latest
        }
      }
    }

    /// Determines which feeds the cluster has, without copying any. Returns all names, also those
    /// of deleted feeds.
    func look() async throws(StoreError) -> [FeedName] {
      // The list of names may lack a feed that is published meanwhile.
      let known = knownFeeds.withLock { $0 ?? [] }
      let names = try await names()
      let rows = await rows(of: names)
      knownFeeds.withLock { feeds in
        var now = (feeds ?? []).subtracting(known.subtracting(names))
        for (name, row) in zip(names, rows) {
          // A feed stays known while its node does not reply.
          guard case .success(let row) = row else { continue }
          if row?.isDeleted == false { now.insert(name) } else { now.remove(name) }
        }
        feeds = now
      }
      return names
    }

    /// Determines whether the cluster has a feed.
    func look(at name: FeedName) async throws(StoreError) {
      note(name, isThere: try await row(of: name)?.isDeleted == false)
    }

    func note(_ name: FeedName, isThere: Bool) {
      knownFeeds.withLock { known in
        if isThere { known?.insert(name) } else { known?.remove(name) }
      }
    }

    /// Locks the feed. Another process that holds the lock usually copies the same row, so this
    /// waits for its end. Nil after 30 seconds or if the task is cancelled.
    private func lock(
      _ name: FeedName, in database: FeedDatabase
    ) async throws(StoreError) -> FeedLock? {
      let deadline = ContinuousClock.now + .seconds(30)
      while true {
        if let lock = try database.lockFeed(name) { return lock }
        guard ContinuousClock.now < deadline, !Task.isCancelled else { return nil }
        try? await Task.sleep(for: .milliseconds(20))
      }
    }

    /// Whether the cluster has a later state of a feed than the near store.
    private func isLater(
      _ row: SharedRow?, in database: FeedDatabase, _ name: FeedName
    ) throws(StoreError) -> Bool {
      guard let row else { return false }
      guard let near = try database.sharedRow(of: name) else { return !row.isDeleted }
      return row.isLater(than: near)
    }

    /// Copies a row and the blocks that the near store lacks.
    @discardableResult
    func copy(
      _ row: SharedRow?, _ name: FeedName, to database: FeedDatabase, holding lock: FeedLock,
      isLimited: Bool = true
    ) async throws(StoreError) -> Update {
      guard let row, try isLater(row, in: database, name) else { return .unchanged }
      if row.isDeleted {
        try database.removeCopy(of: name, holding: lock)
        return .deleted
      }
      if try database.sharedRow(of: name) == nil { database.noteRequest(of: name) }
      defer { endReservation(of: name) }
      if isLimited { try await makeSpace(for: row, in: database) }
      let copy = try FeedImport(row, into: database, holding: lock)
      for segment in copy.segments {
        var keys: [StoredBlockKey] = []
        row.forEachBlockKey(of: segment) { keys.append($0) }
        try await pull(keys, into: copy)
      }
      try copy.publish(schema: try await schema(of: row))
      // Another process may have copied a feed at the same time.
      if isLimited { await removeExcess(besides: name, from: database) }
      return .changed
    }

    /// Requests blocks while the previous ones are verified and stored.
    private func pull(_ keys: [StoredBlockKey], into copy: FeedImport) async throws(StoreError) {
      var parts = stride(from: 0, to: keys.count, by: Self.blocksAtOnce).map { start in
        keys[start..<min(start + Self.blocksAtOnce, keys.count)]
      }[...]
      var pending = parts.popFirst().map { ($0, request($0)) }
      while let (part, request) = pending {
        pending = parts.popFirst().map { ($0, self.request($0)) }
        let replies = await request.value
        do throws(StoreError) {
          guard !Task.isCancelled else { throw StoreError(.cancelled, "the copy was cancelled") }
          for (key, reply) in zip(part, replies) { try await put(key, reply, into: copy) }
        } catch {
          pending?.1.cancel()
          throw error
        }
      }
    }

    private func request(
      _ keys: ArraySlice<StoredBlockKey>
    ) -> Task<[Result<RESPReply, RESPClientError>], Never> {
      let commands = keys.map { key in
        var command = RESPCommand("GET", self.keys.block(key), access: .read)
        command.expectedReplyBytes = 65_520
        return command
      }
      let client = client
      return Task(executorPreference: ClusterThreads.shared) { await client.send(commands) }
    }

    private func put(
      _ key: StoredBlockKey, _ reply: Result<RESPReply, RESPClientError>, into copy: FeedImport
    ) async throws(StoreError) {
      do throws(StoreError) {
        try put(key, try Self.value(reply), into: copy)
      } catch {
        // A replica can be behind its primary.
        guard error.code == .damaged, url.reading == .replica else { throw error }
        let primary: Result<RESPReply, RESPClientError>
        do throws(RESPClientError) {
          primary = .success(
            try await client.send(RESPCommand("GET", keys.block(key), access: .readPrimary)))
        } catch {
          primary = .failure(error)
        }
        try put(key, try Self.value(primary), into: copy)
      }
    }

    private static func value(
      _ reply: Result<RESPReply, RESPClientError>
    ) throws(StoreError) -> RESPReply {
      do throws(RESPClientError) { return try reply.get() } catch { throw StoreError(error) }
    }

    private func put(
      _ key: StoredBlockKey, _ reply: RESPReply, into copy: FeedImport
    ) throws(StoreError) {
      let isPresent: Void? = try reply.withBytes { bytes throws(StoreError) in
        try copy.put(key, bytes)
      }
      guard isPresent != nil else { throw copy.missing(key) }
    }

    /// The text of a row's schema.
    func schema(of row: SharedRow) async throws(StoreError) -> [UInt8] {
      var text: [UInt8] = []
      let results = await client.send(
        (0..<row.schemaChunkCount).map {
          RESPCommand("GET", keys.schema(row.generation, $0), access: .readPrimary)
        })
      for result in results {
        try Self.value(result).withBytes { bytes in
          bytes.withUnsafeBytes { text.append(contentsOf: $0) }
        }
      }
      return text
    }
  }
#endif
