import ArgumentParser
import FeedCore
import FeedSamples
import FeedTools
import JSONStream

extension BenchCommand {
  /// `feedcore bench read`
  struct Read: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "read",
      abstract: "Measure look-ups and scans against C over LMDB on the same records.",
      discussion: """
        The records are those of a stored feed, or of a file or a sample in a temporary store. \
        Nanoseconds are those of the best round. Ratios are those of the median round; half of the \
        rounds are in the range after them.

        EXAMPLES:
          feedcore bench read --feed universities
          feedcore bench read --kind news --records 1000 --json | jq .lookupTimeOverC
        """)

    @Argument(help: ArgumentHelp("A payload.", valueName: "file"), completion: .file())
    var file: String?

    @Option(
      help: ArgumentHelp("A feed of the store, instead of a file.", valueName: "name"),
      completion: .feedNames)
    var feed: String?

    @Option(
      help: ArgumentHelp(
        "The kind of the sample's records. By default universities.", valueName: "kind"))
    var kind: SamplePayload.Kind?

    @Option(
      help: ArgumentHelp("The number of records of the sample. By default 1000000.", valueName: "n")
    )
    var records: Int?

    @OptionGroup var store: StoreOptions

    @Flag(help: "Print the times and their ratios as one JSON object.")
    var json = false

    func validate() throws {
      try GivenPath.refuseEmpty([file], "<file>")
      guard file == nil || feed == nil else {
        throw ValidationError("name a file or a feed, not both")
      }
      guard file == nil && feed == nil || kind == nil && records == nil else {
        throw ValidationError(
          "--kind and --records apply to a sample; remove them, or the file or feed")
      }
      guard records ?? 1 > 0 else { throw ValidationError("--records takes a number above 0") }
    }

    func run() throws {
      Interruption.install()
      do {
        try measure().print(asJSON: json)
      } catch {
        throw Interruption.isRequested ? Failure.interrupted : Failure(any: error)
      }
    }

    private func measure() throws -> ReadBenchSummary {
      let scratch = try TemporaryStore()
      let peer = scratch.directory + "/peer"
      let isCancelled = { @Sendable in Interruption.isRequested }
      if let feed {
        let benchmark = ReadBenchmark(try store.feed(named: feed), peerDirectory: peer)
        return ReadBenchSummary(result: try benchmark.run(isCancelled: isCancelled), source: feed)
      }
      let name =
        if let file {
          try scratch.database.ingest([file], isCancelled: isCancelled).feed.name
        } else {
          try scratch.ingest(
            SamplePayload(kind: kind ?? .universities, records: records ?? 1_000_000),
            isCancelled: isCancelled)
        }
      let stored = try scratch.database.existingFeed(named: name)
      let benchmark = ReadBenchmark(stored, peerDirectory: peer)
      return ReadBenchSummary(
        result: try benchmark.run(isCancelled: isCancelled), source: file ?? "sample")
    }
  }
}

/// The output of `bench read`.
struct ReadBenchSummary: BenchSummary {
  let result: ReadBenchmark.Result
  /// The name of the file or the feed.
  let source: String

  var text: String {
    let records = ReadableNumber.grouped(result.records)
    var text = "\(TerminalText.escaped(source)): \(result.kind), \(records) records"
    if result.leftOut > 0 { text += ", \(ReadableNumber.grouped(result.leftOut)) not in C's store" }
    text += "\n"
    text += lookup("Look-up by key", result.lookup)
    text += lookup("  C in one snapshot", result.lookupInOneSnapshot)
    text += lookup("Look-up of no record", result.miss)
    text += scan("Scan, keys read", result.keyScan)
    text += scan("Scan, all bytes read", result.recordScan)
    text += lookup("Image of 50 KB", result.imageRead)
    return text
  }

  var json: JSONLine {
    var line = JSONLine()
    line.add("kind", result.kind)
    line.add("records", result.records)
    line.add("recordsLeftOut", result.leftOut)
    let lookups = [
      ("lookup", result.lookup), ("lookupInOneSnapshot", result.lookupInOneSnapshot),
      ("miss", result.miss), ("imageRead", result.imageRead),
    ]
    for (name, contest) in lookups {
      add(name, contest, to: &line)
      line.add("\(name)TimeOverC", contest.ratio, decimals: 3)
    }
    for (name, contest) in [("keyScan", result.keyScan), ("recordScan", result.recordScan)] {
      add(name, contest, to: &line)
      line.add("\(name)SpeedOverC", 1 / contest.ratio, decimals: 3)
    }
    return line
  }

  private func add(_ name: String, _ contest: Contest, to line: inout JSONLine) {
    line.add("\(name)Nanoseconds", 1e9 * contest.bestOurs, decimals: 1)
    line.add("\(name)CNanoseconds", 1e9 * contest.bestPeer, decimals: 1)
  }

  private func lookup(_ name: String, _ contest: Contest) -> String {
    line(
      name, "ns", contest, decimals: 0,
      "\(BenchLine.ratio(contest.ratio, contest.spread)) its time")
  }

  private func scan(_ name: String, _ contest: Contest) -> String {
    let spread = (from: 1 / contest.spread.to, to: 1 / contest.spread.from)
    return line(
      name, "ns a record", contest, decimals: 1,
      "\(BenchLine.ratio(1 / contest.ratio, spread)) its speed")
  }

  private func line(
    _ name: String, _ unit: String, _ contest: Contest, decimals: Int, _ ratio: String
  ) -> String {
    let (ours, peer) = (1e9 * contest.bestOurs, 1e9 * contest.bestPeer)
    return BenchLine(
      name: name, number: ReadableNumber.fixed(ours, decimals: decimals), unit: unit,
      remarks: ["C \(ReadableNumber.fixed(peer, decimals: decimals)) ns", ratio]
    ).text
  }
}
