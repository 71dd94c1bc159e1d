#if Cluster
  import LoopbackServer
  import RESPClient
  import Synchronization

  /// Scripted servers as the nodes of a cluster.
  enum ScriptedCluster {
    /// The reply to `CLUSTER SLOTS`: each entry has the first and the last slot, and its nodes.
    static func slots(_ entries: (Int, Int, [ScriptedServer])...) -> String {
      "*\(entries.count)\r\n"
        + entries.map { first, last, servers in
          "*\(servers.count + 2)\r\n:\(first)\r\n:\(last)\r\n"
            + servers.map { "*3\r\n$9\r\n127.0.0.1\r\n:\($0.port)\r\n$1\r\nx\r\n" }.joined()
        }.joined()
    }

    static func isSlots(_ words: [String]) -> Bool { words == ["CLUSTER", "SLOTS"] }

    static func node(_ server: ScriptedServer) -> RESPNode {
      RESPNode(host: "127.0.0.1", port: server.port)
    }

    static func connect(
      _ servers: ScriptedServer..., isCluster: Bool = true,
      _ change: (inout RESPConfiguration) -> Void = { _ in }
    ) async throws -> RESPClusterClient {
      var configuration = RESPConfiguration(seeds: servers.map(node), isCluster: isCluster)
      // Tests that wait for the deadline set a shorter one.
      configuration.deadline = .seconds(20)
      change(&configuration)
      return try await RESPClusterClient.connect(configuration)
    }
  }

  extension ScriptedServer {
    /// Replies to `PING`, and to all other commands as stated.
    func replies(_ steps: @escaping @Sendable ([String]) -> [Step]) {
      script { words, _ in words == ["PING"] ? [.bytes("+PONG\r\n")] : steps(words) }
    }
  }

  /// A counter for scripts.
  final class Turns: Sendable {
    private let count = Mutex(0)

    /// The number of earlier calls.
    func next() -> Int {
      count.withLock { count in
        defer { count += 1 }
        return count
      }
    }
  }
#endif
