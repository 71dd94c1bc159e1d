import Foundation
import TestSupport

/// Makes each operation of a command fail, alone and together with all later operations.
///
/// A command that succeeds has made its change. A command that fails has changed nothing, or has
/// made the complete change, but may have evicted images. In both cases the store is intact, and
/// the next command works.
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

/// The figures of the runs.
struct TrialFigures {
  var runs = 0
  /// The runs that ended with an error.
  var failed = 0
  /// The runs that succeeded: the failed operation did not matter, or was repeated.
  var done = 0
  /// The runs that ended with an error after everything except a sync was done.
  var doneUntold = 0

  static func += (sum: inout TrialFigures, other: TrialFigures) {
    sum.runs += other.runs
    sum.failed += other.failed
    sum.done += other.done
    sum.doneUntold += other.doneUntold
  }
}
