import Benchmark
import FeedCore

/// Benchmarks without a peer.
enum AloneBenchmarks {
  static func register() {
    let configuration = Benchmark.Configuration(
      metrics: [.wallClock, .throughput],
      maxDuration: Suite.sized(ci: .seconds(1), full: .seconds(3)))
    let bytes = Suite.sized(ci: 2_000_000, full: 20_000_000)
    let shared = SharedDocument { try Document(.universities, .minified, bytes: bytes) }

    Benchmark(
      "alone: check", configuration: configuration,
      closure: { benchmark in
        if let error = CheckReport(ofPayload: try shared.document.path).error { throw error }
      }, teardown: { shared.remove() })

    // The difference of the next two, divided by the number of records, is the cost of a record as
    // an element of an asynchronous sequence.
    Benchmark(
      "alone: batches in a loop", configuration: configuration,
      closure: { benchmark in
        try PayloadParser().forEachBatch(in: try shared.document.path) { batch in
          for index in 0..<batch.count { blackHole(index) }
        }
      }, teardown: { shared.remove() })

    Benchmark(
      "alone: records of an asynchronous sequence", configuration: configuration,
      closure: { benchmark in
        for try await record in PayloadParser().batches(in: try shared.document.path).records {
          blackHole(record.indexInBatch)
        }
      }, teardown: { shared.remove() })
  }
}

/// A document that is made at the first access.
private final class SharedDocument {
  private let make: () throws -> Document
  private var made: Document?

  init(_ make: @escaping () throws -> Document) { self.make = make }

  var document: Document {
    get throws {
      if let made { return made }
      let document = try make()
      made = document
      return document
    }
  }

  func remove() { made = nil }
}
