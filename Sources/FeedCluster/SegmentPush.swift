#if Cluster
  import FeedStorage
  import RESPClient
  import Synchronization

  /// Stores the blocks of a new segment in a cluster, with a time to live until they are sealed.
  ///
  /// It begins while the ingest still reads: a block that the near store has committed does not
  /// change. The nodes and the network then work beside the parser.
  final class SegmentPush: Sendable {
    /// The bytes of one pipeline. A pipeline is prepared while the previous one is sent.
    private static let batchBytes = 4 << 20
    /// The bytes for each node after which a barrier follows. A barrier limits the loss in a
    /// failover. It also prevents a replica from falling behind until its link breaks.
    private static let barrierBytes = 16 << 20

    private struct State {
      /// What has been sent.
      var position = FeedDatabase.BlockPosition()
      var recordBlocks: UInt32 = 0
      var unconfirmedBytes = 0
      /// The task that sends while the ingest reads.
      var task: Task<Void, Never>?
      var renewal: Task<Void, Never>?
      /// Whether blocks were committed after the task had begun to look for them.
      var hasMore = false
      var failure: StoreError?
    }

    let writes = RESPWrites()
    private let store: SharedStore
    private let database: FeedDatabase
    private let name: FeedName
    private let segment: UInt64
    private let lease: Duration
    private let state = Mutex(State())

    init(_ store: SharedStore, _ database: FeedDatabase, _ name: FeedName, segment: UInt64) {
      (self.store, self.database, self.name, self.segment) = (store, database, name, segment)
      lease = store.options.lease
    }

    deinit { state.withLock { $0.renewal?.cancel() } }

    // MARK: While the ingest reads

    /// Sends the blocks of records that have been committed. Does not wait.
    ///
    /// - Throws: the error of an earlier call's work, unless it can pass before the ingest ends
    func advance() throws(StoreError) {
      let failure = state.withLock { state in
        state.hasMore = true
        if state.task == nil, state.failure == nil {
          state.task = Task(executorPreference: ClusterThreads.shared) { await self.run() }
        }
        if state.renewal == nil { state.renewal = renewal() }
        return state.failure
      }
      if let failure { throw failure }
    }

    private func run() async {
      while beginRound() {
        do throws(StoreError) {
          try await sendBlocks(withIndexes: false)
        } catch {
          // After an outage, the seal pass sends what is missing.
          guard error.code != .unreachable, error.code != .busy else { continue }
          state.withLock { $0.failure = error }
        }
      }
    }

    private func beginRound() -> Bool {
      state.withLock { state in
        guard state.hasMore, state.failure == nil else {
          state.task = nil
          return false
        }
        state.hasMore = false
        return true
      }
    }

    /// Removes the blocks that were sent, if no more than `advance` was called. If a node does not
    /// remove its blocks, they expire.
    func discard() async {
      let task = state.withLock { $0.task }
      task?.cancel()
      await task?.value
      endRenewal()
      let count = state.withLock { $0.recordBlocks }
      guard count > 0 else { return }
      await store.remove(OldSegment(segment, recordBlocks: count), of: name)
    }

    // MARK: Leases

    /// Extends the leases of the records until the segment is sealed. The ingest may wait for its
    /// input, and blocks that expire must be sent again.
    private func renewal() -> Task<Void, Never> {
      let interval = lease / 3
      return Task(executorPreference: ClusterThreads.shared) { [weak self] in
        while (try? await Task.sleep(for: interval)) != nil {
          guard let self else { return }
          await self.renewLeases()
        }
      }
    }

    private func renewLeases() async {
      let count = state.withLock { $0.recordBlocks }
      for start in stride(from: 0, to: count, by: 4_096) {
        let commands = (start..<min(start + 4_096, count)).map { number in
          let key = StoredBlockKey(segment: segment, part: .records, number: number)
          var command = RESPCommand("EVAL", argumentCount: 4, isRepeatable: true)
          command.append(.text(ClusterScripts.extend))
          command.append(1)
          command.append(store.keys.block(key))
          command.append(.integer(lease.milliseconds))
          return command
        }
        _ = await store.client.send(commands, recording: nil)
        if Task.isCancelled { return }
      }
    }

    /// Ends the renewal of leases. Call it once the segment is sealed or removed.
    func endRenewal() { state.withLock { $0.renewal?.cancel() } }

    // MARK: After the ingest

    /// Sends the rest of the records, and the indexes.
    func finish() async throws(StoreError) {
      if let task = state.withLock({ $0.task }) {
        await withTaskCancellationHandler {
          await task.value
        } onCancel: {
          task.cancel()
        }
      }
      if let failure = state.withLock({ $0.failure }) { throw failure }
      try await sendBlocks(withIndexes: true)
    }

    private func sendBlocks(withIndexes: Bool) async throws(StoreError) {
      var batch: Task<Result<Void, StoreError>, Never>?
      do throws(StoreError) {
        try await sendBlocks(withIndexes, &batch)
      } catch {
        // Blocks that are sent after the removal would stay until they expire.
        batch?.cancel()
        _ = await batch?.value
        throw error
      }
    }

    private func sendBlocks(
      _ withIndexes: Bool, _ batch: inout Task<Result<Void, StoreError>, Never>?
    ) async throws(StoreError) {
      while let commands = try nextBatch(withIndexes) {
        try await batch?.value.get()
        batch = Task(executorPreference: ClusterThreads.shared) {
          do throws(StoreError) { return .success(try await self.send(commands)) } catch {
            return .failure(error)
          }
        }
        if needsBarrier() {
          try await batch?.value.get()
          batch = nil
          // The seal pass finds lost blocks.
          _ = try await confirm()
        }
      }
      try await batch?.value.get()
    }

    /// - Returns: nil if there are no more blocks
    private func nextBatch(_ withIndexes: Bool) throws(StoreError) -> [RESPCommand]? {
      if Task.isCancelled { throw StoreError(.cancelled, "the push was cancelled") }
      var commands: [RESPCommand] = []
      var (records, bytes) = (UInt32(0), 0)
      let position = try database.forEachBlock(
        of: segment, after: state.withLock { $0.position }, withIndexes: withIndexes,
        maximumBytes: Self.batchBytes
      ) { key, block in
        commands.append(set(store.keys.block(key), block))
        if key.part == .records { records += 1 }
        bytes += block.byteCount
      }
      state.withLock { state in
        state.position = position
        state.recordBlocks += records
        state.unconfirmedBytes += bytes
      }
      return commands.isEmpty ? nil : commands
    }

    private func needsBarrier() -> Bool {
      let limit = Self.barrierBytes * max(store.client.nodes.count(where: \.isPrimary), 1)
      return state.withLock { state in
        guard state.unconfirmedBytes >= limit else { return false }
        state.unconfirmedBytes = 0
        return true
      }
    }

    // MARK: Commands

    /// The command that stores a value with a lease.
    ///
    /// A command that was sent again may run a second time after the seal pass. It must not give the
    /// value a time to live then.
    func set(_ key: RESPKey, _ bytes: RawSpan) -> RESPCommand {
      var command = RESPCommand(
        "SET", argumentCount: 5, byteCount: bytes.byteCount, isRepeatable: true)
      command.append(key)
      command.append(bytes: bytes)
      command.append(.text("NX"))
      command.append(.text("PX"))
      command.append(.integer(lease.milliseconds))
      return command
    }

    func send(_ commands: [RESPCommand]) async throws(StoreError) {
      _ = try await store.settle(commands, recording: writes)
    }

    /// Waits until replicas have the writes.
    ///
    /// - Returns: false if some may be lost
    /// - Throws: `busy` if replicas do not confirm in time
    func confirm() async throws(StoreError) -> Bool {
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
            "the replicas do not confirm; nothing of the feed \(name) was published; try again"
              + " when the cluster is well")
        }
      }
    }
  }
#endif
