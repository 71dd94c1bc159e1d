#if Cluster
  import LoopbackServer
  import RESPClient
  import Testing

  @Suite("A barrier of the client", .timeLimit(.minutes(2)))
  struct BarrierTests {
    @Test("is sent only to nodes that received writes, on the connection of the writes")
    func writtenNodes() async throws {
      let (first, second) = (try await ScriptedServer(), try await ScriptedServer())
      let slots = ScriptedCluster.slots((0, 8_191, [first]), (8_192, 16_383, [second]))
      for server in [first, second] {
        server.script { words, _ in Self.reply(words, slots, wait: ":1\r\n") }
      }
      let client = try await ScriptedCluster.connect(first)
      let writes = RESPWrites()
      #expect(await client.barrier(writes, replicas: 1, timeout: .seconds(1)).isConfirmed)
      _ = await client.send(
        [RESPCommand("GET", "foo", access: .read), RESPCommand("SET", "bar", "1")],
        recording: writes)
      let barrier = await client.barrier(writes, replicas: 1, timeout: .seconds(1))
      #expect(barrier.outcomes == [ScriptedCluster.node(first): .confirmed(replicas: 1)])
      #expect(first.lines.suffix(2) == ["SET bar 1", "WAIT 1 1000"])
      #expect(second.lines == ["GET foo"])
      // No write was sent since the last barrier.
      #expect(await client.barrier(writes, replicas: 1, timeout: .seconds(1)).outcomes.isEmpty)
      #expect(first.lines.filter { $0.hasPrefix("WAIT") }.count == 1)
      await client.close()
    }

    @Test("does not count a refused write")
    func refusedWrite() async throws {
      let server = try await ScriptedServer()
      server.replies { _ in [.bytes("-OOM no\r\n")] }
      let client = try await ScriptedCluster.connect(server, isCluster: false)
      let writes = RESPWrites()
      _ = await client.send([RESPCommand("SET", "a", "b")], recording: writes)
      #expect(writes.isEmpty)
      await client.close()
    }

    @Test("reports a lost connection, whatever another connection to the node replies")
    func lostAndShort() async throws {
      // The order of the outcomes varies.
      for _ in 0..<20 {
        let server = try await ScriptedServer()
        server.replies { words in
          switch words[0] {
          case "BYE": [.close]
          case "WAIT": [.bytes(":0\r\n")]
          default: [.bytes("+OK\r\n")]
          }
        }
        let client = try await ScriptedCluster.connect(server, isCluster: false)
        let writes = RESPWrites()
        _ = try await client.send(RESPCommand("SET", "a", "1"), recording: writes)
        await #expect(throws: RESPClientError.self) {
          try await client.send(RESPCommand("BYE", [], access: .write))
        }
        _ = try await client.send(RESPCommand("SET", "a", "2"), recording: writes)
        let barrier = await client.barrier(writes, replicas: 1, timeout: .seconds(1))
        #expect(barrier.mayHaveLostWrites && !barrier.isConfirmed)
        await client.close()
      }
    }

    @Test(
      "is not confirmed by a node that has become a replica",
      arguments: [
        "-UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)\r\n",
        "-ERR WAIT cannot be used with replica instances. Please also note that since Redis 4.0 if a"
          + " replica is configured to be writable, writes are just local and are not propagated.\r\n",
      ])
    func demoted(_ reply: String) async throws {
      let server = try await ScriptedServer()
      server.replies { Self.reply($0, "", wait: reply) }
      let client = try await ScriptedCluster.connect(server, isCluster: false)
      let writes = RESPWrites()
      _ = await client.send([RESPCommand("SET", "a", "b")], recording: writes)
      let barrier = await client.barrier(writes, replicas: 1, timeout: .seconds(1))
      #expect(Array(barrier.outcomes.values) == [.demoted])
      #expect(!barrier.isConfirmed && barrier.mayHaveLostWrites)
      // The node no longer has writes of this client, so another WAIT would be useless.
      #expect(writes.isEmpty && client.statistics.unconfirmed == 1)
      await client.close()
    }

    @Test("does not ask a node that is a replica in the slot map")
    func knownReplica() async throws {
      let (old, new) = (try await ScriptedServer(), try await ScriptedServer())
      let before = ScriptedCluster.slots((0, 16_383, [old, new]))
      let after = ScriptedCluster.slots((0, 16_383, [new, old]))
      old.script { words, _ in Self.reply(words, before, wait: ":1\r\n") }
      new.script { words, _ in Self.reply(words, after, wait: ":1\r\n") }
      let client = try await ScriptedCluster.connect(old)
      let writes = RESPWrites()
      _ = await client.send([RESPCommand("SET", "a", "b")], recording: writes)
      old.script { words, _ in Self.reply(words, after, wait: ":1\r\n") }
      try await client.refresh()
      let barrier = await client.barrier(writes, replicas: 1, timeout: .seconds(1))
      #expect(barrier.outcomes == [ScriptedCluster.node(old): .demoted])
      #expect(!old.lines.contains { $0.hasPrefix("WAIT") })
      await client.close()
    }

    @Test("is lost with its connection, and sends nothing on a new one")
    func lostConnection() async throws {
      let server = try await ScriptedServer()
      server.replies { words in
        words[0] == "BYE" ? [.close] : Self.reply(words, "", wait: ":1\r\n")
      }
      let client = try await ScriptedCluster.connect(server, isCluster: false)
      let writes = RESPWrites()
      _ = await client.send([RESPCommand("SET", "a", "b")], recording: writes)
      _ = await client.send([RESPCommand("BYE", [], access: .write)])
      _ = try await client.send(RESPCommand("GET", "a", access: .read))
      let barrier = await client.barrier(writes, replicas: 1, timeout: .seconds(1))
      #expect(Array(barrier.outcomes.values) == [.lost])
      #expect(barrier.mayHaveLostWrites && !server.lines.contains { $0.hasPrefix("WAIT") })
      await client.close()
    }

    @Test("leaves writes open if too few replicas confirm, until another barrier confirms them")
    func short() async throws {
      let server = try await ScriptedServer()
      let turns = Turns()
      server.replies { Self.reply($0, "", wait: ":\($0[0] == "WAIT" ? turns.next() : 0)\r\n") }
      let client = try await ScriptedCluster.connect(server, isCluster: false)
      let writes = RESPWrites()
      _ = await client.send([RESPCommand("SET", "a", "b")], recording: writes)
      let barrier = await client.barrier(writes, replicas: 1, timeout: .seconds(1))
      #expect(Array(barrier.outcomes.values) == [.short(replicas: 0)])
      #expect(!barrier.isConfirmed && !barrier.mayHaveLostWrites)
      #expect(await client.barrier(writes, replicas: 1, timeout: .seconds(1)).isConfirmed)
      #expect(client.statistics.timeouts == 0)
      await client.close()
    }

    private static func reply(
      _ words: [String], _ slots: String, wait: String
    ) -> [ScriptedServer.Step] {
      switch words[0] {
      case "CLUSTER": [.bytes(slots)]
      case "WAIT": [.bytes(wait)]
      default: [.bytes("+OK\r\n")]
      }
    }
  }

  @Suite("Invalidations", .timeLimit(.minutes(2)))
  struct TrackingTests {
    @Test("contain the changed keys, or everything after a null or a lost connection")
    func events() async throws {
      let server = try await ScriptedServer()
      let gates = (0..<6).map { _ in Gate() }
      let push = ">2\r\n$10\r\ninvalidate\r\n*2\r\n$4\r\nfc:a\r\n$4\r\nfc:b\r\n"
      server.script(isComplete: true) { words, connection in
        switch words[0] {
        case "PING": return [.bytes("+PONG\r\n")]
        case "CLIENT" where connection == 2:
          return [
            .bytes("+OK\r\n"), .wait(gates[0]), .eachByte(push), .wait(gates[1]), .bytes(push),
            .wait(gates[2]), .bytes(">2\r\n$10\r\ninvalidate\r\n_\r\n"), .wait(gates[3]), .close,
          ]
        case "CLIENT":
          return [
            .bytes("+OK\r\n"), .wait(gates[4]), .bytes(push), .wait(gates[5]), .bytes(push),
          ]
        default: return []
        }
      }
      let client = try await ScriptedCluster.connect(server, isCluster: false)
      var events = client.invalidations(prefix: "fc:").makeAsyncIterator()
      #expect(await events.next() == .everything)
      #expect(await Self.keys(&events, gates[0], gates[1]) == ["fc:a", "fc:b"])
      gates[1].open()
      gates[2].open()
      await Self.everything(&events)
      gates[3].open()
      await Self.everything(&events)
      #expect(await Self.keys(&events, gates[4], gates[5]) == ["fc:a", "fc:b"])
      gates[5].open()
      await client.close()
      while await events.next() != nil {}
    }

    /// The keys of the push after the first gate. If the connection becomes ready only now, the
    /// event is a change of everything. Then the second gate sends the keys again.
    private static func keys(
      _ events: inout AsyncStream<RESPInvalidation>.Iterator, _ first: Gate, _ second: Gate
    ) async -> Set<RESPKey>? {
      first.open()
      var event = await events.next(isolation: #isolation)
      if event == .everything {
        second.open()
        event = await events.next(isolation: #isolation)
      }
      guard case .keys(let keys) = event else { return nil }
      return Set(keys)
    }

    /// Waits for a change of everything.
    private static func everything(
      _ events: inout AsyncStream<RESPInvalidation>.Iterator
    ) async {
      while let event = await events.next(isolation: #isolation), event != .everything {}
    }
  }
#endif
