#if Cluster
  import FeedStorage
  import RESPClient

  /// Stores a sealed generation in a cluster and publishes it.
  struct ClusterWriter: Sendable {
    private static let maximumRounds = 3
    /// The bytes of blocks that the seal pass requests at once.
    private static let sealBytes = 64 << 20

    private let store: SharedStore
    private let generation: SealedGeneration
    private let base: SharedRow?
    private let expected: [UInt8]
    private let ownership: FeedOwnership
    private let push: SegmentPush

    private var row: SharedRow { generation.row }

    init(_ change: ClusterChange, _ generation: SealedGeneration) {
      store = change.store
      base = change.base
      expected = change.expected
      ownership = change.ownership
      push = change.push
      self.generation = generation
    }

    /// The entry that owns the new blocks until they are published.
    private var entry: OldSegment {
      let status = OldSegment.Status.sealed(token: ownership.token)
      guard let segment = generation.segment else { return OldSegment(schemaOf: row, status) }
      return OldSegment(segment, of: row, withSchema: true, status)
    }

    /// - Throws: `conflict` if the feed was changed meanwhile; `busy` if replicas do not confirm;
    ///   `cancelled` if the task is cancelled before the publication begins
    func publish(replaced: [OldSegment]) async throws(StoreError) {
      defer { push.endRenewal() }
      do throws(StoreError) {
        // First, so that nothing else is sent while a barrier waits, or after the removal.
        try await push.finish()
        try await push.send(schemaCommands())
        try await register()
        try await seal()
        try checkCancellation()
      } catch {
        await removeBlocks()
        throw Task.isCancelled ? cancelled : error
      }
      // From here on the row may list the blocks, so the outcome counts and not the cancellation.
      let publication = Task(executorPreference: ClusterThreads.shared) {
        () -> Result<Void, StoreError> in
        do throws(StoreError) {
          return .success(try await publishSealed(replaced: replaced))
        } catch {
          return .failure(error)
        }
      }
      try await publication.value.get()
    }

    private func publishSealed(replaced: [OldSegment]) async throws(StoreError) {
      do throws(StoreError) {
        while true {
          let publication = ClusterPublication(
            store, row, expected: expected, entry: entry, replaced: replaced)
          if try await publication.run() { return }
          // The entry was lost in a failover, or a cleaner removes the blocks.
          guard await ownership.isHeld() else { throw abandoned }
          try await seal()
        }
      } catch {
        // If the entry is gone, an attempt whose reply was lost has published the segment, and a
        // later row may list it. The segment is then not removed. After other errors the next
        // change of the feed decides.
        if error.code == .conflict || error.code == .diskFull {
          await store.abandon(entry, of: row.name)
        }
        throw error
      }
    }

    /// Removes the blocks before a row can list them. If a node does not remove its blocks, they
    /// expire, or have an entry.
    private func removeBlocks() async {
      let (store, entry, name) = (store, entry, row.name)
      // The removal must not be cancelled, too.
      await Task(executorPreference: ClusterThreads.shared) {
        await store.remove(entry, of: name)
      }.value
    }

    private var cancelled: StoreError {
      StoreError(.cancelled, "the ingest of the feed \(row.name) was cancelled")
    }

    private func checkCancellation() throws(StoreError) {
      if Task.isCancelled { throw cancelled }
    }

    private var abandoned: StoreError {
      StoreError(
        .conflict,
        "another writer took over the feed \(row.name) meanwhile; nothing was published; try again")
    }

    /// Adds the name of a new feed to the set of names before readers can see the feed.
    private func register() async throws(StoreError) {
      guard base == nil || base?.isDeleted == true else { return }
      for _ in 0...Self.maximumRounds {
        try await push.send(store.registration(of: row.name))
        if try await push.confirm() { return }
      }
      throw lost
    }

    private func schemaCommands() -> [RESPCommand] {
      (0..<row.schemaChunkCount).map { number in
        let start = number * SharedRow.schemaChunkBytes
        let end = min(start + SharedRow.schemaChunkBytes, generation.schema.count)
        return push.set(
          store.keys.schema(row.generation, number),
          generation.schema.span.extracting(start..<end).bytes)
      }
    }

    // MARK: Seal

    /// Makes the blocks permanent, and requires that each one exists with its length.
    private func seal() async throws(StoreError) {
      for _ in 0...Self.maximumRounds {
        guard try await addEntry() else { throw abandoned }
        // From here on the segment has an owner.
        guard try await push.confirm() else { continue }
        let isComplete = try await persist()
        if try await push.confirm(), isComplete { return }
      }
      throw lost
    }

    private var lost: StoreError {
      StoreError(
        .busy,
        "writes of the feed \(row.name) were lost \(Self.maximumRounds + 1) times before it was"
          + " published; nothing was published; try again when the cluster is well")
    }

    /// - Returns: false if a cleaner removes the segment
    private func addEntry() async throws(StoreError) -> Bool {
      var command = RESPCommand("EVAL", argumentCount: 5, isRepeatable: true)
      command.append(.text(ClusterScripts.addEntry))
      command.append(1)
      command.append(store.keys.old(row.name))
      command.append(.text(entry.field))
      command.append(.text(entry.value))
      return try await store.settle([command], recording: push.writes)[0].integer == 1
    }

    /// Removes the times to live, and sends missing blocks again for the next round. The blocks
    /// sent again expire if a cleaner has removed the segment.
    ///
    /// - Returns: whether no block was missing
    private func persist() async throws(StoreError) -> Bool {
      var isComplete = try await persist(
        (0..<row.schemaChunkCount).map { number in
          let start = number * SharedRow.schemaChunkBytes
          return (
            store.keys.schema(row.generation, number),
            min(SharedRow.schemaChunkBytes, generation.schema.count - start)
          )
        }
      ) { [self] missing in
        let commands = schemaCommands()
        return missing.map { commands[$0] }
      }
      guard let segment = generation.segment else { return isComplete }
      var position = FeedDatabase.BlockPosition()
      while true {
        try checkCancellation()
        let start = position
        var expected: [(key: RESPKey, count: Int)] = []
        var blocks: [StoredBlockKey] = []
        position = try generation.database.forEachBlock(
          of: segment, after: start, maximumBytes: Self.sealBytes
        ) { key, bytes in
          expected.append((store.keys.block(key), bytes.byteCount))
          blocks.append(key)
        }
        guard !blocks.isEmpty else { return isComplete }
        let part = try await persist(expected) { [blocks] missing throws(StoreError) in
          let wanted = Set(missing.map { blocks[$0] })
          var commands: [RESPCommand] = []
          _ = try generation.database.forEachBlock(
            of: segment, after: start, maximumBytes: Self.sealBytes
          ) { key, bytes in
            if wanted.contains(key) { commands.append(push.set(store.keys.block(key), bytes)) }
          }
          return commands
        }
        isComplete = isComplete && part
      }
    }

    /// - Parameter resend: makes the commands that store missing values again, by their indexes in
    ///   `expected`
    private func persist(
      _ expected: [(key: RESPKey, count: Int)],
      resend: ([Int]) throws(StoreError) -> [RESPCommand]
    ) async throws(StoreError) -> Bool {
      let commands = expected.map { key, count in
        var command = RESPCommand("EVAL", argumentCount: 4, isRepeatable: true)
        command.append(.text(ClusterScripts.keep))
        command.append(1)
        command.append(key)
        command.append(.integer(count))
        return command
      }
      let replies = try await store.settle(commands, recording: push.writes)
      let missing = replies.indices.filter { replies[$0].integer != 1 }
      if !missing.isEmpty {
        try await push.send(try resend(missing))
        // The next part may send as much. A lost write is found in the next round.
        _ = try await push.confirm()
      }
      return missing.isEmpty
    }
  }
#endif
