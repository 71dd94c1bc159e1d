/// A user and a password. They are never printed.
package struct RESPCredentials: Sendable {
  /// Nil for the user `default`.
  let user: String?
  let password: String

  package init(user: String? = nil, password: String) {
    self.user = user
    self.password = password
  }
}

extension RESPCredentials: CustomStringConvertible, CustomReflectable {
  package var description: String { "credentials" }
  package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

/// How the client connects and how long it waits.
package struct RESPConfiguration: Sendable {
  /// TLS with PEM files. Nil for the trust roots of the system, and for no client certificate.
  package struct TLS: Hashable, Sendable {
    package var authority: String?
    package var certificate: String?
    package var privateKey: String?
    /// The name for SNI and for the verification, if it is not the host.
    package var serverName: String?

    package init() {}
  }

  /// Where reads go.
  package enum Reading: String, Sendable {
    case primary
    case replica
  }

  /// The nodes to ask for the slots, or the only node.
  package var seeds: [RESPNode]
  /// Whether the seeds belong to a cluster. A single node has no slots.
  package var isCluster: Bool
  package var tls: TLS?
  package var credentials: RESPCredentials?
  package var reading = Reading.primary
  /// The time for a command with all its redirections and retries.
  package var deadline = Duration.seconds(2)
  /// The maximum number of bytes that have been sent to a node without a reply.
  package var inFlightBytes = 4 << 20
  /// The timeouts in succession after which nothing is sent to a node for a while.
  package var breakerTimeouts = 3
  package var breakerTime = Duration.seconds(1)
  package var refreshInterval = Duration.seconds(30)
  package var minimumRefreshInterval = Duration.milliseconds(100)

  package init(seeds: [RESPNode], isCluster: Bool = true) {
    self.seeds = seeds
    self.isCluster = isCluster
  }
}
