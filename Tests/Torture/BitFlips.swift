import Foundation
import TestSupport

/// Flipped bits of a store's files: what is read is what was written, or is refused.
///
/// Half of the bits lie in used bytes of meta, branch and leaf pages. A process that reads such a
/// store may be ended by a signal, since LMDB trusts its pages; it must not be given anything wrong.
enum BitFlips: TorturePart {
  static let name = "bit-flips"
  static let faults = ["blocks that are not verified"]

  private static let workers = 2

  static func run(_ options: TortureOptions) throws -> String {
    let builder = try options.child(
      of: Self.self, ["build", options.workspace], errors: .descriptor(STDERR_FILENO))
    try demand(builder.wait() == 0, "the store could not be made")
    let count = options.pick(ci: 2_000, full: 50_000) / workers
    let began = ContinuousClock.now
    let running = try (0..<workers).map { worker in
      try options.child(
        of: Self.self,
        [
          "flip", options.workspace, "\(worker)", "\(count)",
          "\(options.seed &* UInt64(workers) &+ UInt64(worker))", options.fault ?? "",
        ],
        // Bound once here, not in each child.
        environment: ["LD_BIND_NOW": "1"], output: .file(output(of: worker, options.workspace)))
    }
    var tally = FlipTally()
    for (worker, process) in running.enumerated() {
      let status = process.wait()
      try demand(status == 0, "the process that flips bits ended with \(status)")
      let file = output(of: worker, options.workspace)
      try tally.add(lines: try String(contentsOfFile: file, encoding: .utf8))
    }
    let rate = Double(tally.total) / ((ContinuousClock.now - began) / .seconds(1))
    let summary = "\(tally.summary); \(Int(rate)) a second"
    try demand(!tally.isBroken, "\(summary)\n  \(tally.faults)")
    return summary
  }

  static func child(_ words: [String]) throws {
    if words.first == "build", words.count == 2 { return try FlipStore.build(in: words[1]) }
    guard words.count == 6, words[0] == "flip", let count = Int(words[3]),
      let seed = UInt64(words[4])
    else { throw TortureFailure("build DIRECTORY, or flip DIRECTORY WORKER COUNT SEED FAULT") }
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    let worker = try FlipWorker(
      copying: words[1] + "/store", to: words[1] + "/worker-\(words[2])",
      flipsLate: !words[5].isEmpty)
    print(try worker.run(count, seed: seed).lines, terminator: "")
  }

  private static func output(of worker: Int, _ workspace: String) -> String {
    "\(workspace)/worker-\(worker).txt"
  }
}
