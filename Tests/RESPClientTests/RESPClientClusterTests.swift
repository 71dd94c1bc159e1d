#if Cluster
  import RESPClient
  import TestSupport
  import Testing

  @Suite(
    "The client on a real cluster", .serialized,
    .enabled(if: RedisCluster.isAvailable, "redis-server is not installed"),
    .timeLimit(.minutes(5)))
  struct RESPClientClusterTests {
    @Test("writes and reads keys of all slots, and the barrier confirms them")
    func allSlots() async throws {
      let cluster = try await RedisCluster()
      let client = try await connect(cluster)
      let keys = (0..<3_000).map { RESPKey("key:\($0)") }
      let writes = RESPWrites()
      let sets = await client.send(
        keys.map { RESPCommand("SET", $0, .bytes($0.bytes), isRepeatable: true) }, recording: writes
      )
      #expect(sets.allSatisfy { (try? $0.get().isOK) == true })
      let barrier = await client.barrier(writes, replicas: 1, timeout: .seconds(5))
      #expect(barrier.isConfirmed && barrier.outcomes.count == 3)
      #expect(writes.isEmpty)
      let gets = await client.send(keys.map { RESPCommand("GET", $0, access: .read) })
      #expect(
        zip(keys, gets).allSatisfy { key, reply in
          (try? reply.get().text) == String(decoding: key.bytes, as: UTF8.self)
        })
      #expect(client.nodes.filter(\.isPrimary).map(\.replicas) == [1, 1, 1])
      #expect(client.nodes.filter(\.isPrimary).map(\.slots).reduce(0, +) == RESPSlot.count)
      #expect(client.statistics.moved == 0)
      await client.close()
      await cluster.close()
    }

    @Test("reads from replicas, and does not confirm a write that too few replicas have")
    func replicas() async throws {
      let cluster = try await RedisCluster()
      let client = try await connect(cluster) { $0.reading = .replica }
      let writes = RESPWrites()
      _ = try await client.send(RESPCommand("SET", "a", "b"), recording: writes)
      #expect(await client.barrier(writes, replicas: 1, timeout: .seconds(5)).isConfirmed)
      #expect(try await client.send(RESPCommand("GET", "a", access: .read)).text == "b")
      #expect(client.statistics.moved == 0)
      let short = RESPWrites()
      _ = try await client.send(RESPCommand("SET", "a", "c"), recording: short)
      let barrier = await client.barrier(short, replicas: 2, timeout: .milliseconds(50))
      #expect(Array(barrier.outcomes.values) == [.short(replicas: 1)])
      #expect(!barrier.isConfirmed && !barrier.mayHaveLostWrites && !short.isEmpty)
      #expect(await client.barrier(short, replicas: 1, timeout: .seconds(5)).isConfirmed)
      await client.close()
      await cluster.close()
    }

    @Test("continues after a primary is killed, and does not confirm the writes to it")
    func killedPrimary() async throws {
      let cluster = try await RedisCluster()
      let client = try await connect(cluster)
      let key = RESPKey("foo")
      let writes = RESPWrites()
      _ = try await client.send(RESPCommand("SET", key, "1"), recording: writes)
      #expect(await client.barrier(writes, replicas: 1, timeout: .seconds(5)).isConfirmed)
      _ = try await client.send(RESPCommand("SET", key, "2"), recording: writes)
      try await cluster.kill(cluster.primary(ofSlot: key.slot.number))
      let barrier = await client.barrier(writes, replicas: 1, timeout: .milliseconds(500))
      #expect(!barrier.isConfirmed && barrier.mayHaveLostWrites)
      #expect(writes.isEmpty)
      try await cluster.wait("the replica to take over") {
        try await client.send(RESPCommand("SET", key, "3", isRepeatable: true), recording: writes)
          .isOK
      }
      #expect(try await client.send(RESPCommand("GET", key, access: .read)).text == "3")
      // The new primary has no replica.
      let other = await client.barrier(writes, replicas: 1, timeout: .milliseconds(50))
      #expect(Array(other.outcomes.values) == [.short(replicas: 0)])
      await client.close()
      await cluster.close()
    }

    @Test("follows MOVED after a reshard, and ASK during one")
    func reshard() async throws {
      let cluster = try await RedisCluster(primaries: 2, replicas: 0)
      let client = try await connect(cluster)
      let (key, other) = (RESPKey("{foo}1"), RESPKey("{foo}2"))
      _ = try await client.send(RESPCommand("SET", key, "1"))
      let slot = key.slot.number
      let source = try await cluster.primary(ofSlot: slot)
      try await cluster.beginMove(slot, from: source, to: 1 - source)
      // A key that the source does not have belongs to the target.
      _ = try await client.send(RESPCommand("SET", other, "2"))
      #expect(client.statistics.asked == 1)
      #expect(try await client.send(RESPCommand("GET", key, access: .read)).text == "1")
      #expect(try await client.send(RESPCommand("GET", other, access: .read)).text == "2")
      try await cluster.moveKeys(of: slot, from: source, to: 1 - source)
      try await cluster.move(slot...slot + 3, to: 1 - source)
      let results = await client.send([
        RESPCommand("GET", key, access: .read), RESPCommand("GET", other, access: .read),
        RESPCommand("GET", "bar", access: .read),
      ])
      #expect(results.map { (try? $0.get().text) } == ["1", "2", nil])
      #expect(client.statistics.moved > 0)
      await client.close()
      await cluster.close()
    }

    @Test("does not confirm writes that a primary received before it became a replica")
    func demotedPrimary() async throws {
      let cluster = try await RedisCluster()
      let client = try await connect(cluster)
      let key = RESPKey("foo")
      let writes = RESPWrites()
      _ = try await client.send(RESPCommand("SET", key, "1"), recording: writes)
      let primary = try await cluster.primary(ofSlot: key.slot.number)
      try await cluster.command(primary + 3, "CLUSTER", "FAILOVER")
      try await cluster.wait("the primary to become a replica") {
        try await cluster.command(primary, "ROLE").hasPrefix("slave")
      }
      let barrier = await client.barrier(writes, replicas: 1, timeout: .seconds(1))
      #expect(Array(barrier.outcomes.values) == [.demoted])
      #expect(barrier.mayHaveLostWrites && writes.isEmpty)
      _ = try await client.send(RESPCommand("SET", key, "2"), recording: writes)
      #expect(await client.barrier(writes, replicas: 1, timeout: .seconds(5)).isConfirmed)
      await client.close()
      await cluster.close()
    }

    @Test("continues when a primary freezes, and does not confirm its writes after it resumes")
    func frozenPrimary() async throws {
      let cluster = try await RedisCluster()
      let client = try await connect(cluster) { $0.deadline = .milliseconds(500) }
      let key = RESPKey("foo")
      let writes = RESPWrites()
      _ = try await client.send(RESPCommand("SET", key, "1"), recording: writes)
      let other = try await connect(cluster) { $0.deadline = .milliseconds(500) }
      _ = try await other.send(RESPCommand("SET", key, "1"))
      let primary = try await cluster.primary(ofSlot: key.slot.number)
      // The connection of the first client stays open, because nothing is sent on it.
      await cluster.freeze(primary)
      let error = await #expect(throws: RESPClientError.self) {
        try await other.send(RESPCommand("SET", key, "2"))
      }
      #expect(error?.cause == .timeout(mayHaveRun: true) && error?.slot == key.slot)
      // The other nodes reply. Three timeouts cause a refresh.
      #expect(try await other.send(RESPCommand("SET", "bar", "1")).isOK)
      try await cluster.wait("the replica to take over") {
        try await other.send(RESPCommand("SET", key, "3", isRepeatable: true)).isOK
      }
      await cluster.thaw(primary)
      try await cluster.wait("the thawed node to become a replica") {
        try await cluster.command(primary, "ROLE").hasPrefix("slave")
      }
      let barrier = await client.barrier(writes, replicas: 1, timeout: .seconds(1))
      #expect(barrier.mayHaveLostWrites)
      #expect(try await other.send(RESPCommand("GET", key, access: .read)).text == "3")
      await client.close()
      await other.close()
      await cluster.close()
    }

    @Test("reports changed keys with a prefix, and everything as changed after a lost connection")
    func tracking() async throws {
      let cluster = try await RedisCluster()
      let client = try await connect(cluster)
      let stream = client.invalidations(prefix: "fc:")
      var events = stream.makeAsyncIterator()
      #expect(await events.next() == .everything)
      // Each connection reports when it is ready. A key of each primary shows that it is.
      for key in [RESPKey("fc:a"), "fc:b", "fc:c", "fc:d"] {
        try await change(key, client, &events)
      }
      // A block has another prefix: its invalidation would arrive before the next one.
      _ = try await client.send(RESPCommand("SET", "fcb:{fc:z}", "block"))
      try await change("fc:z", client, &events)
      let slot = RESPKey("fc:a").slot.number
      try await cluster.kill(cluster.primary(ofSlot: slot))
      // Keys of the last change may come first.
      while let event = await events.next(), event != .everything {}
      try await cluster.wait("the replica to take over") {
        try await client.send(RESPCommand("SET", "fc:a", "2", isRepeatable: true)).isOK
      }
      try await change("fc:a", client, &events)
      await client.close()
      // Pending events may come first.
      while await events.next() != nil {}
      await cluster.close()
    }

    /// Changes a key until its invalidation arrives.
    private func change(
      _ key: RESPKey, _ client: RESPClusterClient,
      _ events: inout AsyncStream<RESPInvalidation>.Iterator
    ) async throws {
      _ = try await client.send(RESPCommand("SET", key, "x", isRepeatable: true))
      while let event = await events.next(isolation: #isolation) {
        if case .keys(let keys) = event {
          #expect(keys.allSatisfy { $0.bytes.starts(with: "fc:".utf8) })
          if keys.contains(key) { return }
        }
        _ = try await client.send(RESPCommand("SET", key, "x", isRepeatable: true))
      }
      Issue.record("the stream has ended")
    }

    private func connect(
      _ cluster: RedisCluster, _ change: (inout RESPConfiguration) -> Void = { _ in }
    ) async throws -> RESPClusterClient {
      var configuration = RESPConfiguration(
        seeds: cluster.ports.map { RESPNode(host: "127.0.0.1", port: $0) })
      change(&configuration)
      return try await RESPClusterClient.connect(configuration)
    }
  }
#endif
