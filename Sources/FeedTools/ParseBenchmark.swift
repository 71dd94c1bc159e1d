import CFeedTools
@_spi(Ingest) import FeedRecord
import FeedSchema
package import JSONStream

/// Measures parsing one file against its peers, alternating in one run, so that the ratios hold on
/// a machine whose speed varies.
package struct ParseBenchmark {
  /// The number of rounds for the median of the processor time. Unlike elapsed time, it hardly
  /// depends on other load on the machine.
  private static let processorTimeRounds = 5

  /// The best speed of each contestant, in megabytes (10^6 bytes) per second.
  package struct Result: Sendable {
    /// A C loop of `yajl_parse` with empty callbacks.
    package var yajl = 0.0
    /// Reading, input validation, splitting, validating and building on one thread.
    package var oneLane = 0.0
    /// The same with one lane per core.
    package var lanes = 0.0
    /// The number of these lanes.
    package var laneCount = JSONOptions().lanes
    /// The processor time of the whole process, including reading: one lane against YAJL.
    package var oneLaneProcessorTime = Contest()
    /// How the single lane has validated the records.
    package var validation = ValidationCounts()
    /// `JSONDecoder` into an array of structs; nil for kinds without a struct.
    package var jsonDecoder: Double?
    /// The input validation and the splitter alone, in gigabytes (10^9 bytes) per second.
    package var inputValidation = 0.0
    package var splitter = 0.0
    package var kind = ""
    package var records = 0
    package var bytes = 0
  }

  private let path: String
  private let rounds: Int
  private let measuresDecoder: Bool
  private let documents: DocumentReading

  /// - Parameters:
  ///   - path: the file, with any JSON.
  ///   - asDocuments: true to read records of a contract as documents, too.
  ///   - rounds: the number of runs of each contestant; the best run counts.
  ///   - measuresDecoder: false to skip `JSONDecoder`, which takes ten times as long.
  package init(
    path: String, asDocuments: Bool = false, rounds: Int = 15, measuresDecoder: Bool = true
  ) {
    self.path = path
    self.rounds = rounds
    self.measuresDecoder = measuresDecoder
    var documents = DocumentReading()
    if asDocuments { documents.contracts = .none }
    self.documents = documents
  }

  /// Runs everything; throws the errors of reading the file.
  package func run() throws(JSONError) -> Result {
    // The peers read the raw bytes, and all contestants read them several times.
    guard try InputSource(path).byteCount != nil else {
      throw JSONError(
        .inputOutput, "only a plain file can be measured, no pipe and nothing compressed",
        file: path)
    }
    var result = Result()
    var schema: PayloadSchema?
    var isLines = false
    for round in 0..<rounds {
      let ((seconds, sink), laneTime) = try ProcessTime.measure { () throws(JSONError) in
        try measureLanes(1, &schema)
      }
      result.records = sink.recordCount
      result.bytes = sink.byteCount
      result.validation = sink.validation
      result.oneLane = max(result.oneLane, Double(sink.byteCount) / seconds / 1e6)
      isLines = sink.isLines
      let (together, _) = try measureLanes(result.laneCount, &schema)
      result.lanes = max(result.lanes, Double(sink.byteCount) / together / 1e6)
      let (speed, yajlTime) = ProcessTime.measure { measureYAJL(allowsMany: isLines) }
      result.yajl = max(result.yajl, speed)
      if round < Self.processorTimeRounds {
        result.oneLaneProcessorTime.add(ours: laneTime, peer: yajlTime)
      }
    }
    let scan = ScanBenchmark(path: path).run(rounds: 3)
    (result.inputValidation, result.splitter) = (scan.inputValidation, scan.splitter)
    result.kind = schema?.name ?? ""
    if let schema, measuresDecoder {
      result.jsonDecoder = DecoderPeer(path: path, isLines: isLines).speed(of: schema)
    }
    return result
  }

  private func measureYAJL(allowsMany: Bool) -> Double {
    var bytes = 0
    let seconds = Self.seconds { _ = feedbench_parse_with_yajl(path, allowsMany, &bytes) }
    return Double(bytes) / seconds / 1e6
  }

  private func measureLanes(
    _ lanes: Int, _ schema: inout PayloadSchema?
  ) throws(JSONError) -> (Double, BlockSink) {
    let sink = BlockSink()
    let start = ContinuousClock.now
    let source = try InputSource(path)
    var options = JSONOptions()
    options.lanes = lanes
    let consumer = PayloadConsumer(
      catalog: .standard, schema: nil, documents: documents, options: options, sink: sink)
    let reader = RecordReader(consumer: consumer, file: path, options: options)
    try reader.read(from: source)
    let seconds = Self.seconds(since: start)
    schema = consumer.schema
    sink.byteCount = reader.byteCount
    sink.isLines = reader.documentShape?.hasManyTexts == true
    sink.validation = reader.validationCounts
    return (seconds, sink)
  }

  static func seconds(_ body: () -> Void) -> Double {
    let start = ContinuousClock.now
    body()
    return seconds(since: start)
  }

  static func seconds(since start: ContinuousClock.Instant) -> Double {
    (ContinuousClock.now - start) / .seconds(1)
  }
}

extension DocumentShape {
  /// Whether the document is several JSON texts that only white space separates.
  fileprivate var hasManyTexts: Bool {
    switch self {
    case .lines: true
    case .planned(let plan): plan.framing == .lines || plan.framing == .concatenated
    case .array, .wrapped, .single: false
    }
  }
}

/// Packs records into sealed blocks, as a store would, and drops the blocks.
private final class BlockSink: PayloadSink {
  var recordCount = 0
  var byteCount = 0
  var isLines = false
  var validation = ValidationCounts()
  private var packer: Packer?

  var skipsRecords: Bool { false }

  func begin(_ schema: PayloadSchema) { packer = Packer(schema.layout) }

  func take(_ records: inout RecordEncoder) {
    packer?.pack(records)
    recordCount += records.count
  }

  func reject(_ error: JSONError, raw: borrowing RawSpan) throws(JSONError) { throw error }
}

private struct Packer: ~Copyable {
  private var builder: BlockBuilder
  private var number: UInt32 = 0
  private var ordinal: UInt64 = 0

  init(_ layout: RecordLayout) { builder = BlockBuilder(layout: layout) }

  mutating func pack(_ records: borrowing RecordEncoder) {
    var next = 0
    while true {
      next = builder.append(records, from: next)
      guard next < records.count else { return }
      seal()
    }
  }

  private mutating func seal() {
    let count = UInt64(builder.recordCount)
    _ = builder.seal(number: number, firstOrdinal: ordinal, seed: UInt64(number))
    number += 1
    ordinal += count
  }
}
