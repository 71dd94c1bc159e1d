#if Cluster
  import ArgumentParser
  import FeedCluster
  import FeedCore
  import FeedStorage
  import FeedTools
  import JSONStream

  /// `feedcore store repair`
  struct StoreRepairCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "repair", abstract: "Store again what a cluster has lost or damaged of a feed.",
      discussion: """
        Compares each block in the cluster with the copy in the near store of this host, and stores \
        again what is missing or different. Any host that has the latest records can do this. Without \
        names it repairs all feeds of the near store.

        EXAMPLES:
          feedcore store repair --store redis-cluster://127.0.0.1:7000
          feedcore store repair news --store redis-cluster://127.0.0.1:7000
        """)

    @OptionGroup var store: StoreOptions

    @Argument(help: "The feeds to repair; by default all of the near store.")
    var names: [String] = []

    @Flag(help: "Print a JSON array with an object for each feed.")
    var json = false

    func validate() throws {
      guard store.isShared else {
        throw ValidationError(
          "--store: give the URL of a cluster; restore a directory from a backup")
      }
    }

    func run() throws {
      let names = try names.map { try FeedName(argument: $0) }
      let shared = try store.shared()
      let database = try store.openNear(of: shared)
      Interruption.install()
      var reports: [RepairReport] = []
      var failures: [StoreError] = []
      for name in names.isEmpty ? try database.feedNames() : names {
        do throws(StoreError) {
          reports.append(try shared.repair(name, from: database) { Interruption.isRequested })
        } catch {
          guard error.code != .cancelled else { throw Failure(error) }
          failures.append(error)
        }
      }
      try write(reports)
      for failure in failures.dropLast() { Failure(failure).report() }
      if let last = failures.last { throw Failure(last) }
    }

    private func write(_ reports: [RepairReport]) throws {
      let output = Output.standard()
      if json {
        output.write(JSONLine.array(reports.map(line)))
      } else {
        for report in reports { output.write("\(report.feed): \(text(report))\n") }
      }
      try output.finish()
    }

    private func text(_ report: RepairReport) -> String {
      let all = ReadableNumber.counted(report.valueCount, "block")
      return report.repairedCount == 0
        ? "\(all), all sound" : "\(report.repairedCount) of \(all) stored again"
    }

    private func line(_ report: RepairReport) -> JSONLine {
      var line = JSONLine()
      line.add("feed", report.feed.text)
      line.add("blocks", report.valueCount)
      line.add("repaired", report.repairedCount)
      return line
    }
  }
#endif
