#if Cluster
  import FeedCluster
  import FeedTools
  import JSONStream
  import RESPClient

  /// How `store stats` shows the nodes of a cluster.
  struct SharedStatisticsOutput {
    private let statistics: SharedStoreStatistics
    private let nearDirectory: String
    private let nearCap: Int?

    init(_ statistics: SharedStoreStatistics, _ nearDirectory: String, cap: Int?) {
      self.statistics = statistics
      self.nearDirectory = nearDirectory
      nearCap = cap
    }

    func write(to output: Output) {
      let table = TextTable(
        [
          ("node", .left), ("role", .left), ("slots", .right), ("replicas", .right),
          ("memory", .right), ("limit", .right),
        ], columns: StandardStreams.columns, output: output)
      for node in statistics.nodes {
        let about = node.description
        table.add([
          "\(about.node)", about.isPrimary ? "primary" : "replica",
          statistics.isCluster ? ReadableNumber.grouped(about.slots) : "-",
          about.isPrimary ? "\(about.replicas)" : "-",
          node.memory.map { ReadableNumber.bytes($0.used) } ?? "no reply",
          node.memory.map { $0.limit == 0 ? "none" : ReadableNumber.bytes($0.limit) } ?? "-",
        ])
      }
      table.finish()
      output.write(
        "\nfeeds: \(statistics.feeds), \(statistics.behind) not up to date in the near store"
          + " \(nearDirectory)\nnear feeds: \(nearBytes)\n\(durability)\n")
      for failure in statistics.failures { output.write("not counted: \(failure)\n") }
      output.write("\n")
    }

    private var nearBytes: String {
      let bytes = ReadableNumber.bytes(statistics.nearBytes)
      return nearCap.map { "\(bytes) of \(ReadableNumber.bytes($0))" } ?? bytes
    }

    private var durability: String {
      guard statistics.wait > 0 else {
        return "durability: a change is acknowledged by the primary alone"
      }
      let replicas = ReadableNumber.counted(statistics.wait, "replica")
      return "durability: a change is on its primary and \(replicas) when it is acknowledged"
    }

    var line: JSONLine {
      var line = JSONLine()
      line.add("nodes", statistics.nodes.map(self.line))
      line.add("feeds", statistics.feeds)
      line.add("behind", statistics.behind)
      line.add("failures", statistics.failures.map { "\($0)" })
      line.add("wait", statistics.wait)
      line.add("nearDirectory", nearDirectory)
      line.add("nearBytes", statistics.nearBytes)
      line.add("nearCap", nearCap)
      return line
    }

    private func line(_ node: SharedStoreStatistics.Node) -> JSONLine {
      var line = JSONLine()
      line.add("node", "\(node.description.node)")
      line.add("primary", node.description.isPrimary)
      line.add("slots", node.description.slots)
      line.add("replicas", node.description.replicas)
      line.add("memoryBytes", node.memory?.used)
      line.add("memoryLimit", node.memory?.limit)
      return line
    }
  }
#endif
