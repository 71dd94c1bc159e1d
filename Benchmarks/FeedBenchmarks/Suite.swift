import Foundation

/// The settings of a run, from the environment.
enum Suite {
  /// How much is measured: `FEEDCORE_BENCH_SIZE`, by default `full`.
  enum Size: String {
    /// All benchmarks in under two minutes, to test that they work.
    case ci
    /// All benchmarks in about ten minutes.
    case full
  }

  static let size =
    ProcessInfo.processInfo.environment["FEEDCORE_BENCH_SIZE"].flatMap(Size.init) ?? .full

  /// The file of the results, from `FEEDCORE_BENCH_RESULTS`. Each pair of a contestant of FeedCore
  /// and a peer appends a line of JSON.
  static let resultsPath = ProcessInfo.processInfo.environment["FEEDCORE_BENCH_RESULTS"]

  /// Returns one of two values, by the size of the run.
  static func sized<Value>(ci: Value, full: Value) -> Value { size == .ci ? ci : full }
}
