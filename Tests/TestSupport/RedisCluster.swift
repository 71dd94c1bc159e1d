#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A Redis Cluster for one test on the loopback interface, with a node timeout of one second.
///
/// All servers end when this object is deinitialized or the process of the tests dies.
package actor RedisCluster {
  /// The ports of the nodes: first the primaries, then the replicas of each primary.
  package nonisolated let ports: [Int]
  private let directory: TemporaryDirectory
  private let servers: [RedisServer]
  private let primaryCount: Int
  private var commands = 0

  /// Whether redis-server and redis-cli are installed.
  package static var isAvailable: Bool {
    RedisServer.path(of: "redis-server") != nil && RedisServer.path(of: "redis-cli") != nil
  }

  /// Starts a cluster; returns when all replicas have synchronized and all nodes agree.
  package init(
    primaries: Int = 3, replicas: Int = 1, arguments: [String] = []
  ) async throws {
    directory = try TemporaryDirectory(inMemory: true)
    primaryCount = primaries
    let count = primaries * (replicas + 1)
    for _ in 0..<5 {
      let free = try RedisServer.freePorts(2 * count)
      let (ports, busPorts) = (free.prefix(count), free.suffix(count))
      let servers = try Self.start(ports, busPorts: busPorts, in: directory, arguments)
      if try await RedisServer.listen(servers) {
        self.ports = Array(ports)
        self.servers = servers
        try await join(busPorts: Array(busPorts))
        return
      }
      // Another process has taken a port that was free.
      for server in servers { server.kill() }
    }
    throw RedisServer.Failure(description: "five times other processes took the ports of the nodes")
  }

  private static func start(
    _ ports: some Sequence<Int>, busPorts: some Sequence<Int>, in directory: TemporaryDirectory,
    _ arguments: [String]
  ) throws -> [RedisServer] {
    try zip(ports, busPorts).map { port, bus in
      let own = directory.path + "/\(port)"
      mkdir(own, 0o700)
      return try RedisServer(
        port: port, directory: own,
        arguments: [
          "--cluster-enabled", "yes", "--cluster-config-file", "nodes.conf",
          "--cluster-node-timeout", "1000", "--cluster-port", "\(bus)",
          "--repl-diskless-sync-delay", "0",
        ] + arguments)
    }
  }

  // MARK: Nodes

  /// Kills a node (`SIGKILL`).
  package func kill(_ index: Int) { servers[index].kill() }

  /// Freezes a node (`SIGSTOP`).
  package func freeze(_ index: Int) { servers[index].send(SIGSTOP) }

  /// Resumes a frozen node (`SIGCONT`).
  package func thaw(_ index: Int) { servers[index].send(SIGCONT) }

  /// Starts a killed node again, with its configuration and without its data.
  package func restart(_ index: Int) throws { try servers[index].start() }

  /// Ends all nodes.
  package func close() { for server in servers { server.kill() } }

  /// The index of the primary of a slot, as a node knows it.
  package func primary(ofSlot slot: Int, askedAt index: Int = 0) async throws -> Int {
    for line in try await command(index, "CLUSTER", "NODES").split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count > 8, words[2].contains("master"), !words[2].contains("fail") else {
        continue
      }
      let hasSlot = words.dropFirst(8).contains { range in
        let ends = range.split(separator: "-").compactMap { Int($0) }
        guard let first = ends.first, let last = ends.last else { return false }
        return (first...max(first, last)).contains(slot)
      }
      if hasSlot, let index = Self.port(words[1]).flatMap(ports.firstIndex(of:)) { return index }
    }
    throw RedisServer.Failure(description: "slot \(slot) has no primary")
  }

  /// Moves slots with their keys to another primary.
  package func move(_ slots: some Sequence<Int>, to target: Int) async throws {
    let targetID = try await command(target, "CLUSTER", "MYID")
    for slot in slots {
      let source = try await primary(ofSlot: slot)
      guard source != target else { continue }
      try await beginMove(slot, from: source, to: target)
      try await moveKeys(of: slot, from: source, to: target)
      for node in [target, source] {
        _ = try await command(node, "CLUSTER", "SETSLOT", "\(slot)", "NODE", targetID)
      }
    }
  }

  /// Begins to move a slot. Its source then replies with `ASK` for keys that it does not have.
  package func beginMove(_ slot: Int, from source: Int, to target: Int) async throws {
    let sourceID = try await command(source, "CLUSTER", "MYID")
    let targetID = try await command(target, "CLUSTER", "MYID")
    _ = try await command(target, "CLUSTER", "SETSLOT", "\(slot)", "IMPORTING", sourceID)
    _ = try await command(source, "CLUSTER", "SETSLOT", "\(slot)", "MIGRATING", targetID)
  }

  /// Moves the keys of a slot whose move has begun.
  package func moveKeys(of slot: Int, from source: Int, to target: Int) async throws {
    while true {
      let keys = try await command(source, "CLUSTER", "GETKEYSINSLOT", "\(slot)", "100")
        .split(separator: "\n").map(String.init)
      guard !keys.isEmpty else { return }
      _ = try await command(
        source, ["MIGRATE", "127.0.0.1", "\(ports[target])", "", "0", "5000", "KEYS"] + keys)
    }
  }

  // MARK: Commands

  /// Runs a command on a node with redis-cli.
  @discardableResult
  package func command(_ index: Int, _ words: String...) async throws -> String {
    try await command(index, words)
  }

  package func command(_ index: Int, _ words: [String]) async throws -> String {
    guard let program = RedisServer.path(of: "redis-cli") else {
      throw RedisServer.Failure(description: "redis-cli is not installed")
    }
    commands += 1
    let output = directory.path + "/reply-\(commands)"
    defer { unlink(output) }
    let running = try RunningCommand(
      program, ["-p", "\(ports[index])", "-e"] + words, environment: [:], input: .nothing,
      output: .file(output), errors: .nothing)
    let status = try await running.waitWithoutBlocking()
    let text = RedisServer.contents(of: output)
    guard status == 0 else {
      throw RedisServer.Failure(description: "redis-cli \(words) ended with \(status): \(text)")
    }
    return text
  }

  /// Waits until every running node finds the cluster sound and every replica is synchronized.
  package func waitUntilSound() async throws {
    for index in servers.indices where servers[index].isRunning {
      try await wait("node \(index) to find the cluster sound") {
        try await self.command(index, "CLUSTER", "INFO").contains("cluster_state:ok")
      }
      try await wait("node \(index) to be synchronized") {
        let text = try await self.command(index, "INFO", "replication")
        return text.contains("role:master") || text.contains("master_link_status:up")
      }
    }
  }

  /// Waits until a condition holds. It polls, because a node does not report such changes.
  package func wait(
    _ what: String, until condition: () async throws -> Bool
  ) async throws {
    let end = ContinuousClock.now + .seconds(30)
    while true {
      var reason = ""
      do {
        if try await condition() { return }
      } catch {
        reason = ": \(error)"
      }
      guard ContinuousClock.now < end else {
        throw RedisServer.Failure(description: "waited too long for \(what)\(reason)")
      }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  private func join(busPorts: [Int]) async throws {
    for index in ports.indices {
      try await wait("node \(index) to start") {
        try await self.command(index, "PING").contains("PONG")
      }
      try await command(index, "CLUSTER", "SET-CONFIG-EPOCH", "\(index + 1)")
    }
    for index in 0..<primaryCount {
      let first = index * 16_384 / primaryCount
      let last = (index + 1) * 16_384 / primaryCount - 1
      try await command(index, "CLUSTER", "ADDSLOTSRANGE", "\(first)", "\(last)")
    }
    for (port, bus) in zip(ports, busPorts).dropFirst() {
      try await command(0, "CLUSTER", "MEET", "127.0.0.1", "\(port)", "\(bus)")
    }
    for index in ports.indices {
      try await wait("node \(index) to know all others") {
        try await self.command(index, "CLUSTER", "INFO").split(whereSeparator: \.isNewline)
          .contains("cluster_known_nodes:\(self.ports.count)")
      }
    }
    for index in primaryCount..<ports.count {
      let primary = try await command(index % primaryCount, "CLUSTER", "MYID")
      // A node accepts the command when it knows that the other node is a primary.
      try await wait("node \(index) to become a replica") {
        try await self.command(index, "CLUSTER", "REPLICATE", primary) == "OK"
      }
    }
    try await waitUntilSound()
    // CLUSTER SLOTS omits a replica that has replicated nothing.
    for index in 0..<primaryCount { try await command(index, "FLUSHALL") }
    for index in ports.indices {
      try await wait("node \(index) to list all nodes") {
        let text = try await self.command(index, "CLUSTER", "SLOTS")
        let lines = Set(text.split(separator: "\n"))
        return self.ports.allSatisfy { lines.contains("\($0)") }
      }
    }
  }

  // `127.0.0.1:7000@17000`, or with a host name after a comma.
  private static func port(_ address: Substring) -> Int? {
    Int(address.prefix { $0 != "@" }.drop { $0 != ":" }.dropFirst())
  }
}
