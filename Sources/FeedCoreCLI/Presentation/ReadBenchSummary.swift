import FeedTools
import JSONStream

/// The output of `bench read`.
struct ReadBenchSummary {
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
