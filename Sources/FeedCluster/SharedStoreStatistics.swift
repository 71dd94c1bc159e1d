#if Cluster
  package import FeedStorage
  package import RESPClient

  /// The nodes of a shared store, and how far a near store is behind.
  package struct SharedStoreStatistics: Sendable {
    package struct Node: Sendable {
      package let description: RESPNodeDescription
      /// The memory in use and its limit, 0 for none, in bytes; nil if the node does not reply.
      package let memory: (used: Int, limit: Int)?
    }

    package fileprivate(set) var nodes: [Node] = []
    /// The number of feeds whose row can be read.
    package fileprivate(set) var feeds = 0
    /// Why the rows of other feeds, or the names of all, cannot be read.
    package fileprivate(set) var failures: [StoreError] = []
    /// The number of feeds whose copy is missing or older than the cluster's.
    package fileprivate(set) var behind = 0
    /// The bytes of all feeds in the near store.
    package fileprivate(set) var nearBytes = 0
    /// The number of replicas that confirm a change; 0 for none.
    package fileprivate(set) var wait = 0
    package fileprivate(set) var isCluster = false
  }

  extension SharedStore {
    package func statistics(_ near: FeedDatabase) throws(StoreError) -> SharedStoreStatistics {
      var statistics = SharedStoreStatistics()
      statistics.wait = url.wait
      statistics.isCluster = url.isCluster
      let (nodes, found) = ClusterThreads.shared.run {
        var nodes: [SharedStoreStatistics.Node] = []
        let all = self.client.nodes
        for node in all.filter(\.isPrimary) + all.filter({ !$0.isPrimary }) {
          nodes.append(
            SharedStoreStatistics.Node(description: node, memory: await self.memory(of: node.node)))
        }
        do throws(StoreError) {
          return (nodes, try await self.rows())
        } catch {
          return (nodes, ([], [error]))
        }
      }
      let rows = found.rows
      statistics.nodes = nodes
      statistics.feeds = rows.count
      statistics.failures = found.failures
      statistics.nearBytes = try near.feeds().reduce(0) { $0 + $1.storedBytes }
      for row in rows where try near.sharedRow(of: row.name).map(row.isLater(than:)) ?? true {
        statistics.behind += 1
      }
      return statistics
    }

    private func memory(of node: RESPNode) async -> (used: Int, limit: Int)? {
      guard let information = try? await Self.memoryInformation(of: node, client),
        let used = information["used_memory"].flatMap({ Int($0) })
      else { return nil }
      return (used, information["maxmemory"].flatMap { Int($0) } ?? 0)
    }

    /// The fields of `INFO memory`.
    static func memoryInformation(
      of node: RESPNode, _ client: any ClusterClient
    ) async throws(RESPClientError) -> [Substring: Substring] {
      let text = try await client.send(RESPCommand("INFO", ["memory"]), to: node).text ?? ""
      var fields: [Substring: Substring] = [:]
      for line in text.split(whereSeparator: \.isNewline) {
        let parts = line.split(separator: ":", maxSplits: 1)
        if parts.count == 2 { fields[parts[0]] = parts[1] }
      }
      return fields
    }
  }
#endif
