import Benchmark
import FeedCore
import Foundation

/// Run with `swift package --package-path Benchmarks benchmark`. For ratios against YAJL and
/// `JSONDecoder` on a file of one's own: `scripts/feedcore bench parse FILE`.
let benchmarks: @Sendable () -> Void = {
  let repository = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  var configuration = Benchmark.Configuration(metrics: [.wallClock, .throughput])
  configuration.maxDuration = .seconds(3)

  Benchmark("check", configuration: configuration) { benchmark in
    let payload = try Payload(repository: repository)
    defer { payload.remove() }
    benchmark.startMeasurement()
    for _ in benchmark.scaledIterations { blackHole(CheckReport(ofPayload: payload.file)) }
    benchmark.stopMeasurement()
  }

  // The difference of the next two, by the number of records, is what a record costs as an
  // element of an asynchronous sequence.
  Benchmark("batches in a loop", configuration: configuration) { benchmark in
    let payload = try Payload(repository: repository)
    defer { payload.remove() }
    benchmark.startMeasurement()
    for _ in benchmark.scaledIterations {
      try PayloadParser().forEachBatch(in: payload.file) { batch in
        for index in 0..<batch.count { blackHole(index) }
      }
    }
    benchmark.stopMeasurement()
  }

  Benchmark("records of an asynchronous sequence", configuration: configuration) { benchmark in
    let payload = try Payload(repository: repository)
    defer { payload.remove() }
    benchmark.startMeasurement()
    for _ in benchmark.scaledIterations {
      for try await record in PayloadParser().batches(in: payload.file).records {
        blackHole(record.indexInBatch)
      }
    }
    benchmark.stopMeasurement()
  }

  Benchmark("ingest", configuration: configuration) { benchmark in
    let payload = try Payload(repository: repository)
    defer { payload.remove() }
    let database = try payload.publish()
    benchmark.startMeasurement()
    for _ in benchmark.scaledIterations { blackHole(try database.ingest([payload.file])) }
    benchmark.stopMeasurement()
  }

  Benchmark("scan into models", configuration: configuration) { benchmark in
    let payload = try Payload(repository: repository)
    defer { payload.remove() }
    let database = try payload.publish()
    let name = try FeedName("universities")
    benchmark.startMeasurement()
    for _ in benchmark.scaledIterations {
      try database.forEach(University.self, in: name) { university in
        blackHole(university)
        return true
      }
    }
    benchmark.stopMeasurement()
  }

  configuration.scalingFactor = .kilo
  Benchmark("look up by key", configuration: configuration) { benchmark in
    let payload = try Payload(repository: repository)
    defer { payload.remove() }
    let database = try payload.publish()
    let name = try FeedName("universities")
    // A miss: one descent to the index, and the proof that the key is nowhere.
    let key = Array("a university that nobody has founded".utf8)
    benchmark.startMeasurement()
    for _ in benchmark.scaledIterations {
      blackHole(
        try database.forEachRecord(in: name, withKeyBytes: key.span.bytes) { _, _ in true })
    }
    benchmark.stopMeasurement()
  }
}
