import Benchmark
import Foundation

extension Contest {
  /// Registers the contest as one benchmark. Each iteration is a round. The metrics are the ratios
  /// in percent: 150 means 1.5 times as good as the peer.
  func register() {
    let contestants = contestants
    let metrics = pairs.map { pair in
      BenchmarkMetric.custom(
        "\(contestants[pair.ours].name) : \(contestants[pair.peer].name) (%)",
        polarity: .prefersLarger, useScalingFactor: false)
    }
    let record = ContestRecord(self)
    Benchmark(
      "\(group.rawValue): \(name)\(variant)",
      configuration: .init(
        metrics: metrics, warmupIterations: 0, maxDuration: .seconds(3600), maxIterations: rounds),
      closure: { benchmark in
        for (metric, ratio) in zip(metrics, try orFail { try record.playRound() }) {
          benchmark.measurement(metric, Int((100 * ratio).rounded()))
        }
      },
      setup: { try orFail { try record.open() } },
      teardown: {
        let results = record.close()
        if let path = Suite.resultsPath { try ContestResult.append(results, to: path) }
      })
  }
}

/// Makes the process exit with a failure if `body` throws. The benchmark tool only prints the
/// error, and would print its tables and exit with 0.
private func orFail<Result>(_ body: () throws -> Result) throws -> Result {
  do {
    return try body()
  } catch {
    atexit { _exit(EXIT_FAILURE) }
    throw error
  }
}
