#if Cluster
  import NIOCore
  import NIOPosix
  import Synchronization

  /// The client of a cluster, or of a single node.
  package final class RESPClusterClient: ClusterClient {
    struct State {
      var map = RESPSlotMap()
      var statistics = RESPStatistics()
      var refreshing: Task<Result<Void, RESPClientError>, Never>?
      var lastRefresh: ContinuousClock.Instant?
      var schedule: Task<Void, Never>?
      var trackers: [WeakTracker] = []
    }

    struct WeakTracker {
      weak var tracker: RESPTracker?
    }

    let configuration: RESPConfiguration
    let connector: RESPConnector
    let pool: RESPPool
    let state = Mutex(State())
    private let connected = Atomic(true)

    /// Whether a node replied when the client connected.
    package var hasConnected: Bool { connected.load(ordering: .acquiring) }

    /// Connects to a cluster or a single node.
    ///
    /// - Parameter requiresNodes: whether a node must reply. If none does, the client looks for
    ///   nodes with each command.
    /// - Throws: the error of the last seed if none replies
    package static func connect(
      _ configuration: RESPConfiguration, requiresNodes: Bool = true
    ) async throws(RESPClientError) -> RESPClusterClient {
      let client = try RESPClusterClient(configuration)
      do throws(RESPClientError) {
        try await client.begin(requiresNodes: requiresNodes)
      } catch {
        await client.close()
        throw error
      }
      return client
    }

    private init(_ configuration: RESPConfiguration) throws(RESPClientError) {
      self.configuration = configuration
      connector = try RESPConnector(configuration, group: .singletonMultiThreadedEventLoopGroup)
      pool = RESPPool(connector)
      // A node that owes several replies in succession counts as dead. One timeout says nothing.
      pool.onCircuitOpen { [weak self] in
        if configuration.isCluster { self?.startRefresh() }
      }
    }

    deinit { state.withLock { $0.schedule?.cancel() } }

    private func begin(requiresNodes: Bool) async throws(RESPClientError) {
      do throws(RESPClientError) {
        try await findNodes()
      } catch {
        guard !requiresNodes, error.isTransient else { throw error }
        connected.store(false, ordering: .releasing)
      }
      guard configuration.isCluster else { return }
      let interval = configuration.refreshInterval
      let schedule = Task(executorPreference: ClusterThreads.shared) { [weak self] in
        // A node that is dead sends no redirection.
        while (try? await Task.sleep(for: interval)) != nil {
          guard let self else { return }
          _ = await self.startRefresh().value
        }
      }
      state.withLock { $0.schedule = schedule }
    }

    private func findNodes() async throws(RESPClientError) {
      guard !configuration.isCluster else { return try await refresh() }
      guard let seed = configuration.seeds.first else { throw RESPClientError(.noNode) }
      state.withLock { $0.map = RESPSlotMap(single: seed) }
      _ = try await send(RESPCommand("PING", []), to: seed)
    }

    package var statistics: RESPStatistics {
      var statistics = state.withLock { $0.statistics }
      statistics.timeouts = pool.timeouts
      return statistics
    }

    package var nodes: [RESPNodeDescription] { state.withLock { $0.map }.nodes }

    package func send(
      _ command: RESPCommand, to node: RESPNode
    ) async throws(RESPClientError) -> RESPReply {
      let batch = RESPBatch(count: 1)
      let deadline = NIODeadline.now() + TimeAmount(configuration.deadline + command.blockingTime)
      try pool.connection(to: node).submit([
        RESPConnection.Request(command: command, batch: batch, index: 0, deadline: deadline)
      ])
      return try await batch.outcomes()[0].get()
    }

    package func close() async {
      let trackers = state.withLock { state in
        state.schedule?.cancel()
        state.refreshing?.cancel()
        defer { state.trackers = [] }
        return state.trackers
      }
      for entry in trackers { entry.tracker?.close() }
      pool.close()
    }
  }
#endif
