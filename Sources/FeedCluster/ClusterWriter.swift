#if Cluster
  import FeedStorage
  import RESPClient

  /// Stores a sealed generation in a cluster and publishes it.
  struct ClusterWriter: Sendable {
    /// The bytes of one pipeline, of which two are under way.
    private static let batchBytes = 4 << 20
    /// The bytes for each node after which a barrier follows. It bounds what a failover loses, and
    /// keeps a replica from falling behind until its link breaks.
    private static let barrierBytes = 16 << 20
    private static let maximumRounds = 3
    /// A push that is slower than this loses blocks to their lease, and sends them again.
    private static let slowestBytesPerSecond = 5_000_000

    private let store: SharedStore
    private let generation: SealedGeneration
    private let base: SharedRow?
    private let expected: [UInt8]
    private let token: String
    private let deadline: ContinuousClock.Instant
    private let lease: Int
    private let writes = RESPWrites()

    private var row: SharedRow { generation.row }

    init(
      _ change: ClusterChange, _ generation: SealedGeneration, deadline: ContinuousClock.Instant
    ) {
      store = change.store
      base = change.base
      expected = change.expected
      token = change.ownership.token
      self.generation = generation
      self.deadline = deadline
      let seconds = Int(clamping: generation.row.byteCount) / Self.slowestBytesPerSecond
      lease = ClusterChange.lease.milliseconds + seconds * 1_000
    }

    /// The entry that owns the new blocks until they are published.
    private var entry: OldSegment {
      let status = OldSegment.Status.sealed(token: token)
      guard let segment = generation.segment else { return OldSegment(schemaOf: row, status) }
      return OldSegment(segment, of: row, withSchema: true, status)
    }

    /// - Throws: `conflict` if the feed was changed meanwhile; `busy` if replicas do not confirm
    func publish(replaced: [OldSegment]) async throws(StoreError) {
      do throws(StoreError) {
        try await register()
        try await push()
        while true {
          try await seal()
          let publication = ClusterPublication(
            store, row, expected: expected, entry: entry, replaced: replaced, deadline: deadline)
          if try await publication.run() { return }
          // A cleaner may have removed blocks.
          try requireTime()
        }
      } catch {
        if error.code == .conflict || error.code == .diskFull {
          await store.remove(entry, of: row.name)
        }
        throw error
      }
    }

    private func requireTime() throws(StoreError) {
      guard ContinuousClock.now < deadline else {
        throw StoreError(
          .busy, "nothing of the feed \(row.name) was published; try again when the cluster is well"
        )
      }
    }

    /// Adds the name of a new feed to the set of names before readers can see the feed.
    private func register() async throws(StoreError) {
      guard base == nil || base?.isDeleted == true else { return }
      try await send([
        RESPCommand("SADD", store.keys.names, .text(row.name.text), isRepeatable: true)
      ])
      try await confirm()
    }

    // MARK: Push

    private func push() async throws(StoreError) {
      try await send(schemaCommands(lease: lease))
      guard let segment = generation.segment else { return }
      let limit = Self.barrierBytes * max(store.client.nodes.count(where: \.isPrimary), 1)
      var position: FeedDatabase.BlockPosition? = .init()
      var unconfirmed = 0
      var pending: Task<Result<Void, StoreError>, Never>?
      while let start = position {
        var commands: [RESPCommand] = []
        position = try generation.database.forEachBlock(
          of: segment, from: start, maximumBytes: Self.batchBytes
        ) { key, bytes in
          commands.append(set(key, bytes, lease: lease))
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
          try await confirm()
        }
      }
      try await pending?.value.get()
    }

    /// - Parameter lease: the time to live in milliseconds; nil for none
    private func set(_ key: StoredBlockKey, _ bytes: RawSpan, lease: Int?) -> RESPCommand {
      var command = RESPCommand(
        "SET", argumentCount: lease == nil ? 2 : 4, byteCount: bytes.byteCount, isRepeatable: true)
      command.append(store.keys.block(key))
      command.append(bytes: bytes)
      if let lease {
        command.append(.text("PX"))
        command.append(.integer(lease))
      }
      return command
    }

    private func schemaCommands(lease: Int?) -> [RESPCommand] {
      (0..<row.schemaChunkCount).map { number in
        let start = number * SharedRow.schemaChunkBytes
        let end = min(start + SharedRow.schemaChunkBytes, generation.schema.count)
        var command = RESPCommand(
          "SET", argumentCount: lease == nil ? 2 : 4, byteCount: end - start, isRepeatable: true)
        command.append(store.keys.schema(row.generation, number))
        command.append(RESPArgument.bytes(Array(generation.schema[start..<end])))
        if let lease {
          command.append(.text("PX"))
          command.append(.integer(lease))
        }
        return command
      }
    }

    private func send(_ commands: [RESPCommand]) async throws(StoreError) {
      for result in await store.client.send(commands, recording: writes) {
        do throws(RESPClientError) { _ = try result.get() } catch { throw StoreError(error) }
      }
    }

    /// Waits until replicas have the writes. Lost writes are found by the seal pass.
    private func confirm() async throws(StoreError) {
      guard store.url.wait > 0 else { return }
      while true {
        let barrier = await store.client.barrier(
          writes, replicas: store.url.wait, timeout: .seconds(2))
        if barrier.isConfirmed || barrier.mayHaveLostWrites { return }
        try requireTime()
      }
    }

    // MARK: Seal

    /// Makes the blocks permanent, and requires that each is there with its length.
    private func seal() async throws(StoreError) {
      for _ in 0...Self.maximumRounds {
        try await send([
          RESPCommand(
            "HSET", store.keys.old(row.name), .text(entry.field), .text(entry.value),
            isRepeatable: true)
        ])
        try await confirm()
        let isComplete = try await persist()
        guard store.url.wait > 0 else {
          if isComplete { return }
          continue
        }
        let barrier = try await lastBarrier()
        if isComplete, barrier { return }
        try requireTime()
      }
      throw StoreError(
        .busy,
        "blocks of the feed \(row.name) were lost \(Self.maximumRounds + 1) times before they were"
          + " published; nothing was published; try again when the cluster is well")
    }

    /// Whether replicas have all writes of the pass.
    private func lastBarrier() async throws(StoreError) -> Bool {
      while true {
        let barrier = await store.client.barrier(
          writes, replicas: store.url.wait, timeout: .seconds(2))
        if barrier.isConfirmed { return true }
        if barrier.mayHaveLostWrites { return false }
        try requireTime()
      }
    }

    /// Removes the times to live, and sends missing blocks again.
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
        let commands = schemaCommands(lease: nil)
        return missing.map { commands[$0] }
      }
      guard let segment = generation.segment else { return isComplete }
      var position: FeedDatabase.BlockPosition? = .init()
      while let start = position {
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
            if wanted.contains(key) { commands.append(set(key, bytes, lease: nil)) }
          }
          return commands
        }
        isComplete = isComplete && part
      }
      return isComplete
    }

    /// - Parameter resend: makes the commands that store values again, by their places in `expected`
    private func persist(
      _ expected: [(key: RESPKey, count: Int)],
      resend: ([Int]) throws(StoreError) -> [RESPCommand]
    ) async throws(StoreError) -> Bool {
      guard !expected.isEmpty else { return true }
      var commands: [RESPCommand] = []
      for (key, _) in expected {
        commands.append(RESPCommand("PERSIST", key, isRepeatable: true))
        commands.append(RESPCommand("STRLEN", key, access: .readPrimary))
      }
      let results = await store.client.send(commands, recording: writes)
      var missing: [Int] = []
      for (place, each) in expected.enumerated() {
        do throws(RESPClientError) {
          _ = try results[2 * place].get()
          if try results[2 * place + 1].get().integer != each.count { missing.append(place) }
        } catch {
          throw StoreError(error)
        }
      }
      if !missing.isEmpty { try await send(try resend(missing)) }
      return missing.isEmpty
    }
  }
#endif
