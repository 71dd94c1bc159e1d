import Foundation
import TestSupport

/// How much is tried.
enum TortureSize: String, Sendable {
  /// A few minutes for all parts on two cores.
  case ci
  /// What a person runs before a release.
  case full
}

/// What a part is told.
struct TortureOptions: Sendable {
  var size = TortureSize.ci
  var seed: UInt64 = 1
  /// The command as it was built.
  var feedcore = ""
  /// The library that records or spoils what a process asks of the system.
  var preload = ""
  /// The planted fault that a part has to find; nil outside of a self-test.
  var fault: String?
  /// Where a part leaves what it has found, for another look.
  var findings = ""
  /// What was left there, to be tried again instead of everything else.
  var replay: String?
  /// A kind of place of which every bit is flipped, such as "leaf of blocks".
  var place: String?
  /// An empty directory for the part alone, removed afterwards.
  var workspace = ""
  /// Another one, where a sync costs nothing if the system has such a place.
  var memory = ""
  /// This tree, for parts that compile or read something of it.
  var root = ""

  /// One of two values, by size.
  func pick<Value>(ci: Value, full: Value) -> Value { size == .ci ? ci : full }

  /// Starts a process of this program that runs ``TorturePart/child(_:)`` of a part.
  func child<Part: TorturePart>(
    of part: Part.Type, _ words: [String], environment: [String: String] = [:],
    input: RunningCommand.Stream = .nothing, output: RunningCommand.Stream = .nothing,
    errors: RunningCommand.Stream = .nothing
  ) throws -> RunningCommand {
    try RunningCommand(
      Bundle.main.executablePath ?? CommandLine.arguments[0], ["child", part.name] + words,
      environment: variables(environment), input: input, output: output, errors: errors)
  }

  /// Starts the command.
  func start(
    _ words: [String], environment: [String: String] = [:],
    input: RunningCommand.Stream = .nothing, output: RunningCommand.Stream = .nothing,
    errors: RunningCommand.Stream = .nothing
  ) throws -> RunningCommand {
    try RunningCommand(
      feedcore, words, environment: variables(environment), input: input, output: output,
      errors: errors)
  }

  // A backtrace of Swift's own would take seconds for each process that is meant to end badly.
  private func variables(_ more: [String: String]) -> [String: String] {
    ["HOME": workspace, "PATH": "/usr/bin:/bin", "SWIFT_BACKTRACE": "enable=no"]
      .merging(more) { $1 }
  }
}
