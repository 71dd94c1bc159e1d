import Foundation
import TestSupport

/// Lets every operation of a command fail once, and again with all that come after it.
///
/// A command that ends well has done what it was asked; any other has changed nothing, or all of
/// it, but that images may have left. Either way the store is whole, and the next command works.
enum IOErrors: TorturePart {
  static let name = "io-errors"
  private static let imageFault = "swallow of images"
  static let faults = ["swallow", imageFault]

  static func run(_ options: TortureOptions) throws -> String {
    let trial = try FailureTrial(options)
    var figures: [String] = []
    var total = TrialFigures()
    let feedSteps = options.fault == imageFault ? [] : FailureTrial.steps(options)
    for step in feedSteps + FailureTrial.imageSteps() {
      let count = try trial.operations(of: step)
      var sum = TrialFigures()
      for kind in failures(options) {
        for number in 1...count { try trial.run(step, failing: number, kind, &sum) }
      }
      figures.append("\(step.name) \(count)")
      total += sum
    }
    return
      "operations: \(figures.joined(separator: ", ")); \(total.runs) runs, \(total.failed) told,"
      + " \(total.done) went well all the same, \(total.doneUntold) published and told as failed,"
      + " 0 false successes"
  }

  private static func failures(_ options: TortureOptions) -> [Failure] {
    if options.fault != nil { return [Failure(kind: "swallow", stays: false)] }
    return [
      Failure(kind: "eio", stays: false), Failure(kind: "eio", stays: true),
      Failure(kind: "enospc", stays: true), Failure(kind: "short", stays: false),
    ]
  }

  /// How an operation fails.
  struct Failure {
    let kind: String
    let stays: Bool
  }
}

/// What the runs have shown.
struct TrialFigures {
  var runs = 0
  /// Ended with an error.
  var failed = 0
  /// Ended well: what failed did not matter, or was tried again.
  var done = 0
  /// Ended with an error after everything was done but a sync.
  var doneUntold = 0

  static func += (sum: inout TrialFigures, other: TrialFigures) {
    sum.runs += other.runs
    sum.failed += other.failed
    sum.done += other.done
    sum.doneUntold += other.doneUntold
  }
}
