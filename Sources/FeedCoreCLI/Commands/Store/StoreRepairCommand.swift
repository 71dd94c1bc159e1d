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
      commandName: "repair", abstract: "Publish lost or damaged feeds of a cluster again.",
      discussion: """
        Verifies each block in the cluster. If one is missing or damaged, it publishes the copy of \
        the near store as a new generation. Any host that has the present records can do this, also \
        while others write. Without names it looks at all feeds.

        If the cluster has lost the state of a feed, other hosts may have later records. Such a feed \
        is published only if it is named: do this on the host with the latest generation. Images are \
        not repaired.

        EXAMPLES:
          feedcore store repair --store redis-cluster://127.0.0.1:7000
          feedcore store repair news --store redis-cluster://127.0.0.1:7000
        """)

    @OptionGroup var store: StoreOptions

    @Argument(help: "The feeds to repair; by default all.", completion: .feedNames)
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
      Interruption.install()
      let given = try names.map { try FeedName(argument: $0) }
      let shared = try store.shared(createsMissing: false) { options in
        options.restoresLost = true
        options.readsPrimaries = true
        // A limit would remove copies that other feeds need.
        options.nearCap = nil
      }
      let near = try store.openNear(of: shared)
      let repair = try StoreRepair(shared, from: near) { Interruption.isRequested }
      let output = Output.standard()
      var lines: [JSONLine] = []
      var failures: [Failure] = []
      for name in given.isEmpty ? try repair.names() : given {
        do throws(StoreError) {
          let outcome = try repair.repair(name, restoresLost: !given.isEmpty)
          // The cluster keeps the names of deleted feeds.
          if outcome == .deleted, given.isEmpty { continue }
          lines.append(line(name, outcome))
          if !json { output.write("\(name): \(text(outcome))\n") }
        } catch {
          lines.append(line(name, error))
          failures.append(
            error.code == .cancelled ? Failure(.interrupted, "interrupted") : Failure(error))
          // The other feeds would fail, too.
          if [.cancelled, .unreachable, .permission].contains(error.code) { break }
        }
      }
      if json { output.write(JSONLine.array(lines)) }
      try output.finish()
      for failure in failures.dropLast() { failure.report() }
      if let last = failures.last { throw last }
    }

    private func text(_ outcome: StoreRepair.Outcome) -> String {
      switch outcome {
      case .sound: "sound"
      case .registered: "sound; its name was lost, and is there again"
      case .deleted: "deleted"
      case .republished(let generation, let records):
        "published again, \(ReadableNumber.counted(records, "record")), generation \(generation)"
      }
    }

    private func line(_ name: FeedName, _ outcome: StoreRepair.Outcome) -> JSONLine {
      var line = JSONLine()
      line.add("feed", name.text)
      switch outcome {
      case .sound: line.add("state", "sound")
      case .registered: line.add("state", "registered")
      case .deleted: line.add("state", "deleted")
      case .republished(let generation, let records):
        line.add("state", "republished")
        line.add("records", records)
        line.add("generation", generation)
      }
      return line
    }

    private func line(_ name: FeedName, _ error: StoreError) -> JSONLine {
      var line = JSONLine()
      line.add("feed", name.text)
      line.add("state", "failed")
      line.add("message", error.message)
      return line
    }
  }
#endif
