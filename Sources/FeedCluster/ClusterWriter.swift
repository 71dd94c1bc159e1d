#if Cluster
  import FeedStorage
  import RESPClient

  /// Stores a sealed generation in a cluster and publishes it.
  struct ClusterWriter: Sendable {
    /// The bytes of one pipeline. A pipeline is prepared while the previous one is sent.
    private static let batchBytes = 4 << 20
    /// The bytes for each node after which a barrier follows. A barrier limits the loss in a
    /// failover. It also prevents a replica from falling behind until its link breaks.
    private static let barrierBytes = 16 << 20
    private static let maximumRounds = 3
    /// In a slower push, blocks may expire before the seal pass. They are then sent again.
    private static let slowestBytesPerSecond = 5_000_000

    private let store: SharedStore
    private let generation: SealedGeneration
    private let base: SharedRow?
    private let expected: [UInt8]
    private let ownership: FeedOwnership
    private let lease: Int
    private let writes = RESPWrites()

    private var row: SharedRow { generation.row }

    init(_ change: ClusterChange, _ generation: SealedGeneration) {
      store = change.store
      base = change.base
      expected = change.expected
      ownership = change.ownership
      self.generation = generation
      let seconds = Int(clamping: generation.row.byteCount) / Self.slowestBytesPerSecond
      lease = ClusterChange.lease.milliseconds + seconds * 1_000
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
      do throws(StoreError) {
        try await register()
        try await push()
        try await seal()
        try checkCancellation()
      } catch {
        await giveUp(after: error)
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
        await giveUp(after: error)
        throw error
      }
    }

    /// Removes the blocks if nothing can list them. Otherwise the next change of the feed decides.
    private func giveUp(after error: StoreError) async {
      let (store, entry, name) = (store, entry, row.name)
      let isCancelled = Task.isCancelled
      guard isCancelled || error.code == .conflict || error.code == .diskFull else { return }
      // The removal must not be cancelled, too.
      await Task(executorPreference: ClusterThreads.shared) {
        if isCancelled {
          await store.remove(entry, of: name)
        } else {
          // If the entry is gone, an attempt whose reply was lost has published the segment, and a
          // later row may list it. The segment is then not removed.
          await store.abandon(entry, of: name)
        }
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
        try await send([
          RESPCommand("SADD", store.keys.names, .text(row.name.text), isRepeatable: true),
          // The name may already be in the set, and a barrier needs a write.
          RESPCommand("APPEND", store.keys.namesBarrier, "", isRepeatable: true),
        ])
        if try await confirm() { return }
      }
      throw lost
    }

    // MARK: Push

    private func push() async throws(StoreError) {
      try await send(schemaCommands())
      guard let segment = generation.segment else { return }
      let limit = Self.barrierBytes * max(store.client.nodes.count(where: \.isPrimary), 1)
      var pending: Task<Result<Void, StoreError>, Never>?
      do throws(StoreError) {
        try await push(segment, limit: limit, &pending)
      } catch {
        // Blocks that are sent after the removal would stay until they expire.
        pending?.cancel()
        _ = await pending?.value
        throw error
      }
    }

    private func push(
      _ segment: UInt64, limit: Int, _ pending: inout Task<Result<Void, StoreError>, Never>?
    ) async throws(StoreError) {
      var position: FeedDatabase.BlockPosition? = .init()
      var unconfirmed = 0
      while let start = position {
        try checkCancellation()
        var commands: [RESPCommand] = []
        position = try generation.database.forEachBlock(
          of: segment, from: start, maximumBytes: Self.batchBytes
        ) { key, bytes in
          commands.append(set(key, bytes))
          unconfirmed += bytes.byteCount
        }
        try await pending?.value.get()
        let batch = commands
        pending = Task(executorPreference: ClusterThreads.shared) {
          do throws(StoreError) { return .success(try await send(batch)) } catch {
            return .failure(error)
          }
        }
        if unconfirmed >= limit {
          try await pending?.value.get()
          pending = nil
          unconfirmed = 0
          // The seal pass finds lost blocks.
          _ = try await confirm()
        }
      }
      try await pending?.value.get()
    }

    private func set(_ key: StoredBlockKey, _ bytes: RawSpan) -> RESPCommand {
      var command = setCommand(store.keys.block(key), byteCount: bytes.byteCount)
      command.append(bytes: bytes)
      addLease(to: &command)
      return command
    }

    private func setCommand(_ key: RESPKey, byteCount: Int) -> RESPCommand {
      var command = RESPCommand(
        "SET", argumentCount: 5, byteCount: byteCount, isRepeatable: true)
      command.append(key)
      return command
    }

    /// A command that was sent again may run a second time after the seal pass. It must not give the
    /// value a time to live then.
    private func addLease(to command: inout RESPCommand) {
      command.append(.text("NX"))
      command.append(.text("PX"))
      command.append(.integer(lease))
    }

    private func schemaCommands() -> [RESPCommand] {
      (0..<row.schemaChunkCount).map { number in
        let start = number * SharedRow.schemaChunkBytes
        let end = min(start + SharedRow.schemaChunkBytes, generation.schema.count)
        var command = setCommand(
          store.keys.schema(row.generation, number), byteCount: end - start)
        command.append(RESPArgument.bytes(Array(generation.schema[start..<end])))
        addLease(to: &command)
        return command
      }
    }

    private func send(_ commands: [RESPCommand]) async throws(StoreError) {
      _ = try await store.settle(commands, recording: writes)
    }

    /// Waits until replicas have the writes.
    ///
    /// - Returns: false if some may be lost
    /// - Throws: `busy` if replicas do not confirm in time
    private func confirm() async throws(StoreError) -> Bool {
      guard store.url.wait > 0 else { return true }
      let deadline = ContinuousClock.now + store.options.publishTimeout
      while true {
        let barrier = await store.client.barrier(
          writes, replicas: store.url.wait, timeout: .seconds(2))
        if barrier.isConfirmed { return true }
        if barrier.mayHaveLostWrites { return false }
        guard ContinuousClock.now < deadline else {
          throw StoreError(
            .busy,
            "the replicas do not confirm; nothing of the feed \(row.name) was published; try again"
              + " when the cluster is well")
        }
      }
    }

    // MARK: Seal

    /// Makes the blocks permanent, and requires that each one exists with its length.
    private func seal() async throws(StoreError) {
      for _ in 0...Self.maximumRounds {
        guard try await addEntry() else { throw abandoned }
        // From here on the segment has an owner.
        guard try await confirm() else { continue }
        let isComplete = try await persist()
        if try await confirm(), isComplete { return }
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
      return try await store.settle([command], recording: writes)[0].integer == 1
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
      var position: FeedDatabase.BlockPosition? = .init()
      while let start = position {
        try checkCancellation()
        var expected: [(key: RESPKey, count: Int)] = []
        var blocks: [StoredBlockKey] = []
        position = try generation.database.forEachBlock(
          of: segment, from: start, maximumBytes: 16 * Self.batchBytes
        ) { key, bytes in
          expected.append((store.keys.block(key), bytes.byteCount))
          blocks.append(key)
        }
        let part = try await persist(expected) { [blocks] missing throws(StoreError) in
          let wanted = Set(missing.map { blocks[$0] })
          var commands: [RESPCommand] = []
          _ = try generation.database.forEachBlock(
            of: segment, from: start, maximumBytes: 16 * Self.batchBytes
          ) { key, bytes in
            if wanted.contains(key) { commands.append(set(key, bytes)) }
          }
          return commands
        }
        isComplete = isComplete && part
      }
      return isComplete
    }

    /// - Parameter resend: makes the commands that store missing values again, by their indexes in
    ///   `expected`
    private func persist(
      _ expected: [(key: RESPKey, count: Int)],
      resend: ([Int]) throws(StoreError) -> [RESPCommand]
    ) async throws(StoreError) -> Bool {
      guard !expected.isEmpty else { return true }
      let commands = expected.map { key, count in
        var command = RESPCommand("EVAL", argumentCount: 4, isRepeatable: true)
        command.append(.text(ClusterScripts.keep))
        command.append(1)
        command.append(key)
        command.append(.integer(count))
        return command
      }
      let replies = try await store.settle(commands, recording: writes)
      let missing = replies.indices.filter { replies[$0].integer != 1 }
      if !missing.isEmpty { try await send(try resend(missing)) }
      return missing.isEmpty
    }
  }
#endif
