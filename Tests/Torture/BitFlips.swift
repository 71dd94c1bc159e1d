import Foundation
import TestSupport

/// Flips bits of a store's files. A read returns what was written, or is refused.
///
/// Half of the bits lie in used bytes of meta, branch and leaf pages. A signal may end a process
/// that reads such a store, because LMDB trusts its pages. The process must not receive wrong data.
enum BitFlips: TorturePart {
  static let name = "bit-flips"
  static let faults = ["blocks that are not verified"]

  private static let workers = 2

  static func run(_ options: TortureOptions) throws -> String {
    if let finding = options.replay { return try replay(finding, options) }
    let builder = try options.child(
      of: Self.self, ["build", options.workspace], errors: .descriptor(STDERR_FILENO))
    try demand(builder.wait() == 0, "the store could not be made")
    let count = options.pick(ci: 2_000, full: 50_000) / workers
    let began = ContinuousClock.now
    // The results of a planted fault are not saved with the findings.
    let findings = options.fault == nil ? options.findings : options.workspace + "/findings"
    let running = try (0..<workers).map { worker in
      try options.child(
        of: Self.self,
        [
          "flip", options.workspace, "\(worker)", "\(count)",
          "\(options.seed &* UInt64(workers) &+ UInt64(worker))", options.fault ?? "", findings,
          options.place ?? "",
        ],
        // Symbols are bound once here, not in each child.
        environment: ["LD_BIND_NOW": "1"], output: .file(output(of: worker, options.workspace)),
        errors: .file(errors(of: worker, options.workspace)))
    }
    var tally = FlipTally()
    for (worker, process) in running.enumerated() {
      let status = process.wait()
      let said = try? String(contentsOfFile: errors(of: worker, options.workspace), encoding: .utf8)
      try demand(status == 0, "the process that flips bits ended with \(status): \(said ?? "")")
      let file = output(of: worker, options.workspace)
      try tally.add(lines: try String(contentsOfFile: file, encoding: .utf8))
    }
    let rate = Double(tally.total) / ((ContinuousClock.now - began) / .seconds(1))
    let summary = "\(tally.summary); \(Int(rate)) a second"
    try demand(
      !tally.isBroken, "\(summary)\n  \(tally.faults)\n  to be replayed from \(findings)")
    return summary
  }

  static func child(_ words: [String]) throws {
    if words.first == "build", words.count == 2 { return try FlipStore.build(in: words[1]) }
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    if words.first == "replay", words.count == 3 { return try replayHere(words[1], words[2]) }
    guard words.count == 8, words[0] == "flip", let number = Int(words[2]),
      let count = Int(words[3]), let seed = UInt64(words[4])
    else {
      throw TortureFailure("flip DIRECTORY WORKER COUNT SEED FAULT FINDINGS PLACE")
    }
    let worker = try FlipWorker(
      copying: words[1] + "/store", to: words[1] + "/worker-\(number)",
      flipsLate: !words[5].isEmpty)
    let tally =
      words[7].isEmpty
      ? try worker.run(count, seed: seed, findings: words[6])
      : try worker.run(all: words[7], share: number, of: workers, findings: words[6])
    print(tally.lines, terminator: "")
  }

  /// Repeats a finding that a run has saved.
  private static func replay(_ finding: String, _ options: TortureOptions) throws -> String {
    let output = options.workspace + "/replay.txt"
    let status = try options.child(
      of: Self.self, ["replay", finding, options.workspace + "/worker"], output: .file(output)
    ).wait()
    let said = try String(contentsOfFile: output, encoding: .utf8)
    try demand(status == 0, said)
    return said
  }

  private static func replayHere(_ finding: String, _ directory: String) throws {
    let flip = try FlipFinding(in: finding).flip
    let worker = try FlipWorker(copying: finding, to: directory, flipsLate: false)
    let (verdict, note) = try worker.verdict(of: flip)
    print("\(flip): \(verdict.isBroken ? note : verdict.name)", terminator: "")
    if verdict.isBroken { exit(1) }
  }

  private static func output(of worker: Int, _ workspace: String) -> String {
    "\(workspace)/worker-\(worker).txt"
  }

  private static func errors(of worker: Int, _ workspace: String) -> String {
    "\(workspace)/errors-\(worker).txt"
  }
}
