#if Cluster
  /// A client of a cluster or of a single node. Other implementations are possible.
  package protocol ClusterClient: Sendable {
    /// The counts since the client was made.
    var statistics: RESPStatistics { get }

    /// The nodes as the last slot map names them.
    var nodes: [RESPNodeDescription] { get }

    /// Sends commands in pipelines, grouped by node, and returns their results in the same order.
    ///
    /// Redirections are followed, and retries are made within the deadline. Commands with the same
    /// slot run in their order unless some of them are redirected or sent again.
    ///
    /// - Parameter writes: records the connections that took the writes, for a barrier
    func send(
      _ commands: [RESPCommand], recording writes: RESPWrites?
    ) async -> [Result<RESPReply, RESPClientError>]

    /// Sends a command to one node, without redirections or retries.
    func send(
      _ command: RESPCommand, to node: RESPNode
    ) async throws(RESPClientError) -> RESPReply

    /// Waits until replicas have the recorded writes: `WAIT` on each connection that took some.
    ///
    /// Writes that are not confirmed stay recorded if another barrier can confirm them. If a
    /// connection was lost, or its node became a replica, they must be sent again.
    func barrier(_ writes: RESPWrites, replicas: Int, timeout: Duration) async -> RESPBarrier

    /// The invalidations of all keys with a prefix, received on one connection to each primary.
    func invalidations(prefix: String) -> AsyncStream<RESPInvalidation>

    /// Requests the slot map now.
    func refresh() async throws(RESPClientError)

    /// Ends all connections; commands in progress fail.
    func close() async
  }

  extension ClusterClient {
    /// Sends a command.
    package func send(
      _ command: RESPCommand, recording writes: RESPWrites? = nil
    ) async throws(RESPClientError) -> RESPReply {
      guard let result = await send([command], recording: writes).first else {
        throw RESPClientError(.closed)
      }
      return try result.get()
    }

    package func send(_ commands: [RESPCommand]) async -> [Result<RESPReply, RESPClientError>] {
      await send(commands, recording: nil)
    }
  }

  extension Result where Success == RESPReply, Failure == RESPClientError {
    /// The error; nil for a reply.
    package var failure: RESPClientError? {
      if case .failure(let error) = self { error } else { nil }
    }
  }

  /// A node and its role in the last slot map.
  package struct RESPNodeDescription: Hashable, Sendable {
    package let node: RESPNode
    package let isPrimary: Bool
    /// The number of its slots, also that of a replica.
    package let slots: Int
    /// The number of replicas of a primary.
    package let replicas: Int
  }

  /// Counts of a client.
  package struct RESPStatistics: Hashable, Sendable {
    package var refreshes = 0
    package var moved = 0
    package var asked = 0
    package var retries = 0
    package var timeouts = 0
    /// Barriers of a node that did not confirm.
    package var unconfirmed = 0
  }

  /// The outcome of a barrier.
  package struct RESPBarrier: Hashable, Sendable {
    package enum Outcome: Hashable, Sendable {
      case confirmed(replicas: Int)
      /// Fewer replicas than required have confirmed in time; another barrier may succeed.
      case short(replicas: Int)
      /// The node became a replica: the writes may be lost.
      case demoted
      /// The connection that wrote has ended: the writes may be lost.
      case lost
      /// The barrier itself failed.
      case failed(RESPClientError)
    }

    package let outcomes: [RESPNode: Outcome]

    /// Whether every node that was written to has confirmed. True without writes.
    package var isConfirmed: Bool {
      outcomes.values.allSatisfy { if case .confirmed = $0 { true } else { false } }
    }

    /// Whether the writes must be sent again before another barrier.
    package var mayHaveLostWrites: Bool {
      outcomes.values.contains { outcome in
        switch outcome {
        case .demoted, .lost, .failed: true
        case .confirmed, .short: false
        }
      }
    }
  }

  /// What a tracking connection reports.
  package enum RESPInvalidation: Hashable, Sendable {
    /// These keys have changed.
    case keys([RESPKey])
    /// Everything may have changed: a connection was lost or made, a node has flushed its data, or
    /// the reader was too slow. It is also the first event.
    case everything
  }
#endif
