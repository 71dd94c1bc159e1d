#if Cluster
  package import FeedStorage
  import RESPClient

  /// A change of one feed of a cluster by the process that owns the feed.
  ///
  /// The order of the steps makes it safe to kill the process at any point. The change writes a
  /// reservation and blocks that expire, and adds an entry to the list of old segments. It then
  /// makes the blocks permanent, writes the row, and removes the replaced blocks.
  final class ClusterChange: FeedChange {
    /// How long replaced blocks exist, at least.
    private static let grace = Duration.seconds(600)
    /// A slower pull may not finish before the replaced blocks expire.
    private static let slowestBytesPerSecond = 25_000_000

    /// What is known when the change begins.
    struct Start: Sendable {
      let ownership: FeedOwnership
      let number: UInt64
      /// The row that the change replaces; nil if there is none.
      let base: SharedRow?
      /// The state of the feed that the change replaces; empty if there is none. A damaged row has
      /// a state, too.
      let expected: [UInt8]
      /// The segments that earlier rows have replaced.
      let earlier: [OldSegment]
    }

    let store: SharedStore
    let push: SegmentPush
    private let name: FeedName
    private let database: FeedDatabase
    private let start: Start
    private var replaced: [OldSegment] = []
    /// The bytes of what the cluster had lost.
    private var lostBytes = 0
    private var isPublishing = false
    private var isOver = false

    init(_ store: SharedStore, _ name: FeedName, _ database: FeedDatabase, _ start: Start) {
      self.store = store
      self.name = name
      self.database = database
      self.start = start
      push = SegmentPush(store, database, name, segment: start.number)
    }

    deinit { abandon() }

    var ownership: FeedOwnership { start.ownership }
    var number: UInt64 { start.number }
    var base: SharedRow? { start.base }
    var expected: [UInt8] { start.expected }

    var baseGeneration: UInt64? {
      guard let base, !base.isDeleted else { return nil }
      return base.generation
    }

    var baseState: SharedState? { SharedState(expected.span.bytes) }

    // MARK: Publishing

    func pushWrittenBlocks() throws(StoreError) { try push.advance() }

    func publish(
      _ generation: SealedGeneration, isCancelled: () -> Bool
    ) throws(StoreError) {
      isPublishing = true
      let replaced = try Self.replaced(base, by: generation.row) + lost(replacedBy: generation.row)
      let writer = ClusterWriter(self, generation)
      try ClusterThreads.shared.run(isCancelled: isCancelled) { () async throws(StoreError) in
        try await writer.publish(replaced: replaced)
      }
      self.replaced = replaced
    }

    func renew(_ row: SharedRow) throws(StoreError) {
      try replace(with: row, replaced: [])
    }

    func delete() throws(StoreError) -> Bool {
      guard let base else {
        guard expected.isEmpty else {
          throw StoreError(
            .damaged, "the row of the feed \(name) cannot be read; ingest the feed, then delete it")
        }
        return false
      }
      guard !base.isDeleted else { return false }
      let row = SharedRow.tombstone(of: base, number: number, seconds: ClusterNumbers.seconds())
      try replace(with: row, replaced: Self.replaced(base, by: row) + lost(replacedBy: row))
      return true
    }

    private func replace(with row: SharedRow, replaced: [OldSegment]) throws(StoreError) {
      let publication = ClusterPublication(
        store, row, expected: expected, entry: nil, replaced: replaced)
      try ClusterThreads.shared.run { () async throws(StoreError) in
        _ = try await publication.run()
      }
      self.replaced = replaced
    }

    /// What a row replaces: the segments that it does not list, and the schema.
    private static func replaced(_ base: SharedRow?, by row: SharedRow) -> [OldSegment] {
      guard let base, !base.isDeleted else { return [] }
      let segments = base.segments.filter { !row.segments.contains($0) }
      var replaced = segments.map { segment in
        OldSegment(segment, of: base, withSchema: segment == base.generation, .replaced)
      }
      if !segments.contains(base.generation), base.schemaChunkCount > 0 {
        replaced.append(OldSegment(schemaOf: base, .replaced))
      }
      return replaced
    }

    /// What a later row lists that the cluster has lost, and the near store has kept. Without an entry
    /// these blocks would have no owner.
    private func lost(replacedBy row: SharedRow) throws(StoreError) -> [OldSegment] {
      guard let near = try database.sharedRow(of: name), near.generation != base?.generation,
        baseState.map({ near.state >= $0 }) ?? true
      else { return [] }
      let known = Set(row.segments).union(base?.segments ?? [])
      lostBytes = Int(clamping: near.byteCount)
      return Self.replaced(near, by: row).filter { $0.isSchema || !known.contains($0.number) }
    }

    // MARK: The end

    /// Gives replaced blocks a time to live, and removes the blocks that earlier rows replaced. If
    /// it does not complete, the next change of the feed does the rest.
    func finish() {
      guard !isOver else { return }
      isOver = true
      let (store, name, ownership) = (store, name, ownership)
      let (replaced, earlier, database) = (replaced, start.earlier, database)
      let bytes = max(Int(clamping: base?.byteCount ?? 0), lostBytes)
      let grace = max(Self.grace, .seconds(bytes / Self.slowestBytesPerSecond))
      ClusterThreads.shared.run {
        await store.expire(replaced, after: grace)
        for entry in earlier { await store.remove(entry, of: name) }
        await ownership.end()
        await store.removeExcess(besides: name, from: database)
      }
    }

    func abandon() {
      guard !isOver else { return }
      isOver = true
      let (ownership, push) = (ownership, isPublishing ? nil : push)
      ClusterThreads.shared.run {
        await push?.discard()
        await ownership.end()
      }
    }
  }

  extension SharedStore {
    package func beginChange(
      of name: FeedName, in database: FeedDatabase, holding lock: FeedLock, copies: Bool,
      isCancelled: () -> Bool
    ) throws(StoreError) -> (any FeedChange)? {
      let start = try ClusterThreads.shared.run(isCancelled: isCancelled) {
        () async throws(StoreError) in
        try await self.verify()
        try await self.requireReplicas()
        return try await self.begin(name, in: database, holding: lock, copies: copies)
      }
      return start.map { ClusterChange(self, name, database, $0) }
    }

    /// - Returns: nil while another process owns the feed
    private func begin(
      _ name: FeedName, in database: FeedDatabase, holding lock: FeedLock, copies: Bool
    ) async throws(StoreError) -> ClusterChange.Start? {
      guard let ownership = try await FeedOwnership.take(name, of: self) else { return nil }
      do throws(StoreError) {
        let stored = try await settle([rowCommand(of: name)])[0]
        let expected = stored.withBytes { bytes in
          bytes.withUnsafeBytes { Array($0.prefix(SharedRow.stateBytes)) }
        }
        var base: SharedRow?
        do throws(StoreError) {
          base = try decoded(stored, name)
        } catch {
          // A change that replaces the whole feed repairs a damaged row. It also replaces the row of
          // a store that was lost, whose blocks cannot be read.
          let isOfAnotherStore = stored.withBytes { SharedRow.store(of: $0) != identifier } ?? false
          guard error.code == .damaged || isOfAnotherStore, !copies else { throw error }
        }
        if copies {
          _ = try await duringFailover { () async throws(StoreError) in
            try await copy(base, name, to: database, holding: lock)
          }
        }
        let earlier = try await cleanUp(name)
        let number = try await reserveNumber(
          above: max(base?.generation ?? 0, try database.sharedRow(of: name)?.generation ?? 0))
        return ClusterChange.Start(
          ownership: ownership, number: number, base: base, expected: expected ?? [],
          earlier: earlier)
      } catch {
        await ownership.end()
        throw error
      }
    }

    /// Cleans up after killed writers.
    ///
    /// - Returns: the segments that earlier rows have replaced
    private func cleanUp(_ name: FeedName) async throws(StoreError) -> [OldSegment] {
      let list = RESPCommand("HGETALL", keys.old(name), access: .readPrimary)
      let reply = try await settle([list])[0]
      var replaced: [OldSegment] = []
      let texts = (reply.elements ?? []).map { $0.text ?? "" }
      for place in stride(from: 0, to: texts.count - 1, by: 2) {
        guard let entry = OldSegment(field: texts[place], value: texts[place + 1]) else { continue }
        switch entry.status {
        case .replaced: replaced.append(entry)
        // A writer that is still running finds its entry changed and gives up.
        case .sealed: await abandon(entry, of: name)
        case .abandoned: await remove(entry, of: name)
        }
      }
      return replaced
    }

    /// Replaces an entry of the list of old segments, or removes it.
    ///
    /// - Returns: false if it was changed meanwhile, or the cluster does not reply
    func replace(
      _ entry: OldSegment, with other: OldSegment?, of name: FeedName
    ) async -> Bool {
      var command = RESPCommand("EVAL", argumentCount: 6, isRepeatable: true)
      command.append(.text(ClusterScripts.replaceEntry))
      command.append(1)
      command.append(keys.old(name))
      command.append(.text(entry.field))
      command.append(.text(entry.value))
      command.append(.text(other?.value ?? ""))
      return (try? await client.send(command))?.integer == 1
    }

    /// Removes a segment that was sealed and not published, if its entry is unchanged.
    func abandon(_ entry: OldSegment, of name: FeedName) async {
      var abandoned = entry
      abandoned.status = .abandoned
      if await replace(entry, with: abandoned, of: name) { await remove(abandoned, of: name) }
    }

    /// Removes the blocks of an entry, and then the entry.
    ///
    /// The entry stays until replicas have confirmed the removal. A primary that was replaced also
    /// replies, and its replica still has the blocks, which would have no owner.
    func remove(_ entry: OldSegment, of name: FeedName) async {
      let writes = RESPWrites()
      let isRemoved = await forEachKey(of: entry, recording: writes) {
        RESPCommand("UNLINK", $0, isRepeatable: true)
      } then: { key, reply in
        // An earlier removal may not have reached the replicas, and a barrier needs a write.
        reply.integer == 0 ? RESPCommand("SET", key, "", "PX", "1", isRepeatable: true) : nil
      }
      guard isRemoved, await isConfirmed(writes, until: .now) else { return }
      _ = await replace(entry, with: nil, of: name)
    }

    /// Gives the blocks of entries a time to live.
    func expire(_ entries: [OldSegment], after time: Duration) async {
      let milliseconds = time.milliseconds
      for entry in entries {
        await forEachKey(of: entry) {
          RESPCommand("PEXPIRE", $0, .integer(milliseconds), isRepeatable: true)
        }
      }
    }

    /// How long a removal goes on after a node has not replied.
    private static let removalTime = Duration.seconds(10)

    /// Sends a command for each key of an entry. If a node does not reply, the others still get their
    /// commands for some seconds: each group of keys waits for that node again.
    ///
    /// - Parameter next: returns another command for the key, depending on the reply
    /// - Returns: whether all succeeded
    @discardableResult
    private func forEachKey(
      of entry: OldSegment, recording writes: RESPWrites? = nil,
      _ command: (RESPKey) -> RESPCommand,
      then next: (RESPKey, RESPReply) -> RESPCommand? = { _, _ in nil }
    ) async -> Bool {
      var all: [RESPKey] = []
      entry.forEachKey(keys) { all.append($0) }
      var (isComplete, deadline) = (true, ContinuousClock.now)
      for start in stride(from: 0, to: all.count, by: 1_000) {
        guard isComplete || ContinuousClock.now < deadline else { break }
        if isComplete { deadline = .now + Self.removalTime }
        let part = all[start..<min(start + 1_000, all.count)]
        var more: [RESPCommand] = []
        for (key, result) in zip(part, await client.send(part.map(command), recording: writes)) {
          switch result {
          case .success(let reply):
            if let command = next(key, reply) { more.append(command) }
          case .failure: isComplete = false
          }
        }
        for case .failure in await client.send(more, recording: writes) { isComplete = false }
      }
      return isComplete
    }
  }

  extension Duration {
    var milliseconds: Int { Int(clamping: components.seconds) * 1_000 }
  }
#endif
