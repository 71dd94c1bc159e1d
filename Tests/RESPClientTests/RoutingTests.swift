#if Cluster
  import LoopbackServer
  import RESPClient
  import Testing

  @Suite("The router of the client", .timeLimit(.minutes(2)))
  struct RoutingTests {
    @Test("MOVED: uses the address in the error, and refreshes once from its sender")
    func moved() async throws {
      let (old, new) = (try await ScriptedServer(), try await ScriptedServer())
      let before = ScriptedCluster.slots((0, 16_383, [old]))
      let after = ScriptedCluster.slots((0, 16_383, [new]))
      let turns = Turns()
      old.script { words, _ in
        if ScriptedCluster.isSlots(words) { return [.bytes(turns.next() == 0 ? before : after)] }
        return [.bytes("-MOVED \(RESPKey(words[1]).slot) 127.0.0.1:\(new.port)\r\n")]
      }
      new.script { words, _ in [.bytes("$1\r\nx\r\n")] }
      let client = try await ScriptedCluster.connect(old)
      let commands = (0..<100).map { RESPCommand("GET", RESPKey("key:\($0)"), access: .read) }
      #expect(await client.send(commands).allSatisfy { (try? $0.get().text) == "x" })
      try await client.refresh()
      #expect(client.statistics.moved == 100)
      // One at the start and one for all redirections, which the refresh above may have joined.
      #expect((2...3).contains(old.lines.filter { $0 == "CLUSTER SLOTS" }.count))
      #expect(await client.send(commands).allSatisfy { (try? $0.get().text) == "x" })
      #expect(client.statistics.moved == 100)
      await client.close()
    }

    @Test("MOVED with an empty host means the host of the sender")
    func movedToEmptyHost() async throws {
      let (old, new) = (try await ScriptedServer(), try await ScriptedServer())
      let slots = ScriptedCluster.slots((0, 16_383, [old]))
      old.script { words, _ in
        [.bytes(ScriptedCluster.isSlots(words) ? slots : "-MOVED 12182 :\(new.port)\r\n")]
      }
      new.script { words, _ in [.bytes("$1\r\nx\r\n")] }
      let client = try await ScriptedCluster.connect(old)
      #expect(try await client.send(RESPCommand("GET", "foo", access: .read)).text == "x")
      await client.close()
    }

    @Test("ASK: sends ASKING and the command on one connection, and keeps the slot map")
    func ask() async throws {
      let (source, target) = (try await ScriptedServer(), try await ScriptedServer())
      let slots = ScriptedCluster.slots((0, 16_383, [source]))
      source.script { words, _ in
        [.bytes(ScriptedCluster.isSlots(words) ? slots : "-ASK 12182 127.0.0.1:\(target.port)\r\n")]
      }
      target.script { words, _ in [.bytes("$1\r\nx\r\n")] }
      let client = try await ScriptedCluster.connect(source)
      for _ in 0..<2 {
        #expect(try await client.send(RESPCommand("GET", "foo", access: .read)).text == "x")
      }
      #expect(target.lines == ["ASKING", "GET foo", "ASKING", "GET foo"])
      #expect(source.lines == ["CLUSTER SLOTS", "GET foo", "GET foo"])
      #expect(client.statistics.asked == 2 && client.statistics.moved == 0)
      await client.close()
    }

    @Test(
      "retries within the deadline",
      arguments: [
        "TRYAGAIN Multiple keys request during rehashing of slot",
        "CLUSTERDOWN The cluster is down",
        "LOADING Redis is loading the dataset in memory", "MASTERDOWN Link with MASTER is down",
      ])
    func triesAgain(_ error: String) async throws {
      let server = try await ScriptedServer()
      let slots = ScriptedCluster.slots((0, 16_383, [server]))
      let turns = Turns()
      server.script { words, _ in
        if ScriptedCluster.isSlots(words) { return [.bytes(slots)] }
        return [.bytes(turns.next() < 3 ? "-\(error)\r\n" : "+OK\r\n")]
      }
      let client = try await ScriptedCluster.connect(server)
      #expect(try await client.send(RESPCommand("SET", "a", "b")).isOK)
      #expect(server.lines.filter { $0 == "SET a b" }.count == 4 && client.statistics.retries == 3)
      await client.close()
    }

    @Test("returns the last error at the deadline, and the replies of the other commands")
    func deadline() async throws {
      let server = try await ScriptedServer()
      let slots = ScriptedCluster.slots((0, 16_383, [server]))
      server.script { words, _ in
        if ScriptedCluster.isSlots(words) { return [.bytes(slots)] }
        return [.bytes(words[1] == "foo" ? "-CLUSTERDOWN Hash slot not served\r\n" : "+OK\r\n")]
      }
      let client = try await ScriptedCluster.connect(server) { $0.deadline = .milliseconds(1_500) }
      let results = await client.send([
        RESPCommand("SET", "a", "1"), RESPCommand("SET", "foo", "2"), RESPCommand("SET", "b", "3"),
      ])
      #expect(
        results.map(\.cause) == [
          nil, .unavailable(RESPServerError("CLUSTERDOWN Hash slot not served")), nil,
        ])
      await client.close()
    }

    @Test("LOADING of a replica: reads from the primary")
    func loadingReplica() async throws {
      let (primary, replica) = (try await ScriptedServer(), try await ScriptedServer())
      let slots = ScriptedCluster.slots((0, 16_383, [primary, replica]))
      primary.script { words, _ in
        [.bytes(ScriptedCluster.isSlots(words) ? slots : "$1\r\nx\r\n")]
      }
      replica.script { words, _ in
        switch words[0] {
        case "CLUSTER": [.bytes(slots)]
        default: [.bytes("-LOADING Redis is loading the dataset in memory\r\n")]
        }
      }
      let client = try await ScriptedCluster.connect(primary) { $0.reading = .replica }
      #expect(try await client.send(RESPCommand("GET", "a", access: .read)).text == "x")
      #expect(replica.lines == ["GET a"])
      #expect(try await client.send(RESPCommand("GET", "b", access: .readPrimary)).text == "x")
      #expect(replica.lines == ["GET a"])
      await client.close()
    }

    @Test("READONLY after a failover: refreshes the map and writes to the new primary")
    func failover() async throws {
      let (old, new) = (try await ScriptedServer(), try await ScriptedServer())
      let before = ScriptedCluster.slots((0, 16_383, [old, new]))
      let after = ScriptedCluster.slots((0, 16_383, [new, old]))
      let turns = Turns()
      old.script { words, _ in
        if ScriptedCluster.isSlots(words) { return [.bytes(turns.next() == 0 ? before : after)] }
        return [.bytes("-READONLY You can't write against a read only replica.\r\n")]
      }
      new.script { words, _ in [.bytes(ScriptedCluster.isSlots(words) ? after : "+OK\r\n")] }
      let client = try await ScriptedCluster.connect(old)
      #expect(try await client.send(RESPCommand("SET", "a", "b")).isOK)
      #expect(new.lines.contains("SET a b"))
      await client.close()
    }

    @Test("a dead node does not delay the others, and the errors of its commands name it")
    func deadNode() async throws {
      let (living, dead) = (try await ScriptedServer(), try await ScriptedServer())
      let slots = ScriptedCluster.slots((0, 8_191, [living]), (8_192, 16_383, [dead]))
      living.script { words, _ in [.bytes(ScriptedCluster.isSlots(words) ? slots : "+OK\r\n")] }
      await dead.stop()
      let client = try await ScriptedCluster.connect(living) { $0.deadline = .milliseconds(1_500) }
      // The slots of bar and foo are 5061 and 12182.
      let results = await client.send([
        RESPCommand("SET", "bar", "1"), RESPCommand("SET", "foo", "2"),
      ])
      #expect(try results[0].get().isOK)
      guard case .failure(let error) = results[1], case .unreachable = error.cause else {
        Issue.record("\(results[1])")
        return
      }
      #expect(error.node == ScriptedCluster.node(dead) && error.slot?.number == 12_182)
      #expect(!error.mayHaveRun)
      await client.close()
    }

    @Test(
      "rejects an invalid slot map",
      arguments: [
        "*0\r\n", ":1\r\n", "*1\r\n*2\r\n:0\r\n:1\r\n",
        "*1\r\n*3\r\n:0\r\n:16384\r\n*2\r\n$1\r\nh\r\n:1\r\n",
        "*1\r\n*3\r\n:5\r\n:4\r\n*2\r\n$1\r\nh\r\n:1\r\n",
        "*1\r\n*3\r\n:0\r\n:1\r\n*2\r\n$1\r\nh\r\n:0\r\n",
        "*1\r\n*3\r\n:-1\r\n:1\r\n*2\r\n$1\r\nh\r\n:1\r\n", "*1\r\n_\r\n",
      ])
    func hostileMap(_ reply: String) async throws {
      let server = try await ScriptedServer()
      server.script { words, _ in ScriptedCluster.isSlots(words) ? [.bytes(reply)] : [] }
      let error = await #expect(throws: RESPClientError.self) {
        _ = try await ScriptedCluster.connect(server)
      }
      #expect(error?.cause == .invalidReply("no slots"))
    }
  }
#endif
