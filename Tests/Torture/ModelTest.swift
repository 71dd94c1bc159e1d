import Foundation
import TestSupport

/// Random operations on feeds and images agree with dictionaries, even if images expire, the store
/// is reopened and writing processes are killed.
enum ModelTest: TorturePart {
  static let name = "model"
  static let losingAppend = "an append that loses the last record before it"
  static let standingClock = "a clock that stands still"
  static let faults = [losingAppend, standingClock]

  private static let operations = 10_000
  private static let workers = 2

  static func run(_ options: TortureOptions) throws -> String {
    let seeds = options.pick(ci: 10, full: 100)
    var waiting = (0..<UInt64(seeds)).map { options.seed &+ $0 }.makeIterator()
    var running: [(seed: UInt64, process: RunningCommand)] = []
    for _ in 0..<workers { try start(waiting.next(), &running, options) }
    while !running.isEmpty {
      let (seed, process) = running.removeFirst()
      let status = process.wait()
      let errors = try String(contentsOfFile: errors(seed, options), encoding: .utf8)
      try demand(status == 0, "seed \(seed) ended with \(status): \(errors)")
      try start(waiting.next(), &running, options)
    }
    return "\(seeds * operations) operations, \(seeds) seeds, the store and the model agree"
  }

  private static func start(
    _ seed: UInt64?, _ running: inout [(seed: UInt64, process: RunningCommand)],
    _ options: TortureOptions
  ) throws {
    guard let seed else { return }
    let directory = "\(options.workspace)/\(seed)"
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: true)
    let process = try options.child(
      of: Self.self, [directory, "\(seed)", options.feedcore, options.fault ?? ""],
      errors: .file(errors(seed, options)))
    running.append((seed, process))
  }

  private static func errors(_ seed: UInt64, _ options: TortureOptions) -> String {
    "\(options.workspace)/\(seed)/errors"
  }

  static func child(_ words: [String]) throws {
    guard words.count == 4, let seed = UInt64(words[1]) else {
      throw TortureFailure("DIRECTORY SEED FEEDCORE FAULT")
    }
    var options = TortureOptions()
    options.workspace = words[0]
    options.feedcore = words[2]
    options.fault = words[3].isEmpty ? nil : words[3]
    var run = try ModelRun(in: words[0], seed: seed, options)
    try run.run(operations)
  }
}
