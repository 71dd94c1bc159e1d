import FeedCluster
import FeedStorage
import RESPClient
import TestSupport
import Testing

/// A cluster, and the near stores of some hosts.
struct Site {
  let cluster: RedisCluster
  private let directory: TemporaryDirectory
  private let seeds: String

  init(arguments: [String] = []) async throws {
    cluster = try await RedisCluster(arguments: arguments)
    directory = try TemporaryDirectory(inMemory: true)
    seeds = cluster.ports.map { "127.0.0.1:\($0)" }.joined(separator: ",")
  }

  /// Connects to a store of the cluster.
  func connect(
    _ prefix: String = "fc", parameters: String = "", createsMissing: Bool = true,
    restoresLost: Bool = false, nearCap: Int? = nil, publishTimeout: Duration = .seconds(20),
    lease: Duration = SharedStore.Options().lease, as user: String? = nil
  ) throws -> SharedStore {
    var options = SharedStore.Options()
    options.restoresLost = restoresLost
    options.lease = lease
    options.credentials = user.map { RESPCredentials(user: $0, password: Self.password) }
    options.nearCap = nearCap
    options.createsMissing = createsMissing
    options.publishTimeout = publishTimeout
    return try SharedStore.connect(
      to: ClusterURL("redis-cluster://\(seeds)/\(prefix)\(parameters)"), options)
  }

  private static let password = "secret"

  /// Lets a user of all nodes do what an ACL permits.
  func addUser(_ name: String, permissions: String) async throws {
    let rules = permissions.split(separator: " ").map(String.init)
    for index in cluster.ports.indices {
      let reply = try await cluster.command(
        index, ["ACL", "SETUSER", name, "reset", "on", ">\(Self.password)"] + rules)
      try #require(reply == "OK")
    }
  }

  /// Opens the near store of a host.
  func open(
    _ host: String, _ prefix: String = "fc", publishTimeout: Duration = .seconds(20),
    lease: Duration = SharedStore.Options().lease, as user: String? = nil
  ) throws -> FeedDatabase {
    let shared = try connect(prefix, publishTimeout: publishTimeout, lease: lease, as: user)
    return try shared.openNear(at: "\(directory.path)/\(prefix)-\(host)")
  }

  /// Connects to the cluster, and opens the near store of a host with a limit.
  func open(_ host: String, nearCap: Int) throws -> (shared: SharedStore, near: FeedDatabase) {
    let shared = try connect(nearCap: nearCap)
    return (shared, try shared.openNear(at: "\(directory.path)/fc-\(host)"))
  }

  /// A near store that is named in the URL.
  struct Near {
    fileprivate let site: Site
    fileprivate let path: String

    func open(_ prefix: String = "fc") throws -> FeedDatabase {
      try connect(prefix).openNear(at: path)
    }

    func connect(
      _ prefix: String = "fc", createsMissing: Bool = true, restoresLost: Bool = false
    ) throws -> SharedStore {
      try site.connect(
        prefix, parameters: "?near=\(path)", createsMissing: createsMissing,
        restoresLost: restoresLost)
    }
  }

  func near(_ host: String) -> Near { Near(site: self, path: "\(directory.path)/near-\(host)") }

  /// Removes all data of the cluster.
  func flush() async throws {
    for index in cluster.ports.indices {
      // Replicas refuse the command, but follow their primaries.
      _ = try? await cluster.command(index, "FLUSHALL")
    }
  }

  /// Connects a separate client.
  func client() async throws -> RESPClusterClient {
    try await RESPClusterClient.connect(
      RESPConfiguration(seeds: cluster.ports.map { RESPNode(host: "127.0.0.1", port: $0) }))
  }

  /// The keys of all primaries that match a pattern.
  func keys(_ pattern: String) async throws -> [String] {
    var keys: Set<String> = []
    for index in cluster.ports.indices {
      let reply = try await cluster.command(index, "KEYS", pattern)
      keys.formUnion(reply.split(separator: "\n").map(String.init))
    }
    return keys.sorted()
  }

  /// The reply of the primary that owns the slot of a key.
  func command(_ name: String, _ key: String, _ arguments: String...) async throws -> String {
    try await command(name, key, arguments)
  }

  func command(_ name: String, _ key: String, _ arguments: [String]) async throws -> String {
    let primary = try await cluster.primary(ofSlot: RESPKey(key).slot.number)
    return try await cluster.command(primary, [name, key] + arguments)
  }
}
