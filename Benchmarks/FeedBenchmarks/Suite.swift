import Foundation

/// What the environment says about a run.
enum Suite {
  /// How much is measured: `FEEDCORE_BENCH_SIZE`, `full` unless told otherwise.
  enum Size: String {
    /// All of it in under two minutes, to see that it works.
    case ci
    /// All of it in about ten minutes.
    case full
  }

  static let size =
    ProcessInfo.processInfo.environment["FEEDCORE_BENCH_SIZE"].flatMap(Size.init) ?? .full

  /// The file to which one line of JSON is appended for each of ours and each peer:
  /// `FEEDCORE_BENCH_RESULTS`.
  static let resultsPath = ProcessInfo.processInfo.environment["FEEDCORE_BENCH_RESULTS"]

  /// One of two values, by the size of the run.
  static func sized<Value>(ci: Value, full: Value) -> Value { size == .ci ? ci : full }
}
