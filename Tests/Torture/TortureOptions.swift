import Foundation
import TestSupport

/// The extent of a run.
enum TortureSize: String, Sendable {
  /// A few minutes for all parts on two cores.
  case ci
  /// A manual run before a release.
  case full
}

/// The options of a part.
struct TortureOptions: Sendable {
  var size = TortureSize.ci
  var seed: UInt64 = 1
  /// The path of the built command.
  var feedcore = ""
  /// The path of the library that records the system calls of a process, or makes them fail.
  var preload = ""
  /// The planted fault that a part has to find; nil outside of a self-test.
  var fault: String?
  /// The directory in which a part saves its findings.
  var findings = ""
  /// A saved finding, which is repeated instead of a complete run.
  var replay: String?
  /// A kind of place of which every bit is flipped, such as "leaf of blocks".
  var place: String?
  /// An empty directory for the part alone, removed afterwards.
  var workspace = ""
  /// Another empty directory, in memory if available, where a sync costs nothing.
  var memory = ""
  /// The source tree, for parts that compile or read its files.
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

  // A Swift backtrace would take seconds for each process that is meant to crash.
  private func variables(_ more: [String: String]) -> [String: String] {
    ["HOME": workspace, "PATH": "/usr/bin:/bin", "SWIFT_BACKTRACE": "enable=no"]
      .merging(more) { $1 }
  }
}
