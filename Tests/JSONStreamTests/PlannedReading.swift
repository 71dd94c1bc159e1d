import CFeedScan
@_spi(Records) import JSONStream
import TestSupport

/// Everything that a consumer sees of a planned document.
struct PlannedReading: Equatable {
  var head: [UInt8]?
  var isComplete = false
  var records: [String] = []
  var keys: [String] = []
  /// The kinds of each record's values.
  var values: [[String]] = []
  var before = ""
  var after = ""
  var rejected: [JSONError] = []
  var error: JSONError?
  var betterPath: [String]?
  var hasRepeatedRecords = false
  var occurrences = 0

  /// How a document is read, which must not change the result.
  struct Manner: CustomStringConvertible {
    var chunks = [Int.max]
    var lanes = 1
    var validation = JSONOptions.Validation.replay
    var sliceBytes = 128 << 10

    var description: String {
      "chunks \(chunks), \(lanes) lanes, \(validation), slices of \(sliceBytes)"
    }

    /// Some of the possible manners, with every validation.
    static func some(using generator: inout SeededGenerator) -> [Self] {
      JSONOptions.Validation.allCases.flatMap { validation in
        [
          Self(validation: validation),
          Self(chunks: [1], validation: validation, sliceBytes: 80),
          Self(
            chunks: (0..<3).map { _ in Int.random(in: 1...90, using: &generator) },
            lanes: Int.random(in: 1...3, using: &generator), validation: validation,
            sliceBytes: Int.random(in: 64...300, using: &generator)),
        ]
      }
    }
  }

  init() {}

  /// Reads a file with two lanes.
  init(file: String, _ plan: DocumentPlan) throws(JSONError) {
    let consumer = PlannedConsumer(plan, 1 << 20)
    var options = JSONOptions()
    options.lanes = 2
    let reader = RecordReader(consumer: consumer, file: file, options: options)
    try reader.read(from: InputSource(file))
    self = consumer.reading
  }

  private static func withoutExcerpt(_ error: JSONError) -> JSONError {
    var error = error
    error.excerpt = ""
    error.excerptCaret = 0
    return error
  }

  init(
    _ document: [UInt8], _ plan: DocumentPlan?, _ manner: Manner = Manner(),
    limits: JSONLimits = JSONLimits(), planningBytes: Int = 16,
    duplicateKeys: JSONOptions.DuplicateKeys = .last, occurrence: Int? = nil,
    canReadAgain: Bool = true
  ) {
    let consumer = PlannedConsumer(plan, planningBytes)
    var options = JSONOptions()
    options.limits = limits
    options.lanes = manner.lanes
    options.validation = manner.validation
    options.laneBytes = 1
    options.sliceBytes = manner.sliceBytes
    options.duplicateKeys = duplicateKeys
    let reader = RecordReader(
      consumer: consumer, file: "test", options: options, occurrence: occurrence,
      canReadAgain: canReadAgain)
    do throws(JSONError) {
      var start = 0
      var turn = 0
      while start < document.count {
        let end = start + min(manner.chunks[turn % manner.chunks.count], document.count - start)
        try reader.feed(document.span.bytes.extracting(start..<end))
        start = end
        turn += 1
      }
      try reader.finish()
    } catch {
      consumer.reading.error = error
    }
    self = consumer.reading
    // Excerpts show as much text as there is in memory.
    error = error.map(Self.withoutExcerpt)
    rejected = rejected.map(Self.withoutExcerpt)
    guard error == nil else {
      // After an error, the envelope text that was read so far is not compared.
      (before, after) = ("", "")
      return
    }
    betterPath = reader.betterPlan?.plan.path
    hasRepeatedRecords = reader.hasRepeatedRecords
    occurrences = reader.recordsOccurrences
  }
}

/// Collects records of any type. Skips records that are not JSON if that is possible.
private final class PlannedConsumer: RecordConsumer {
  let plan: DocumentPlan?
  let planningBytes: Int
  var reading = PlannedReading()
  let recordKeys = ["items"]
  let skipsRecords = true

  init(_ plan: DocumentPlan?, _ planningBytes: Int) {
    self.plan = plan
    self.planningBytes = planningBytes
  }

  func plan(head: RawSpan, isComplete: Bool) -> DocumentPlan? {
    reading.head = head.withUnsafeBytes { Array($0) }
    reading.isComplete = isComplete
    return plan
  }

  func takeEnvelope(_ text: borrowing RawSpan, isAfterRecords: Bool) {
    let text = string(text)
    if isAfterRecords { reading.after += text } else { reading.before += text }
  }

  func select(_ shape: DocumentShape, sample: RawSpan?, depth: Int) -> SelectionChoice {
    .selected(.everything) { [self] in PlannedBatch(self) }
  }

  func reject(_ error: JSONError, raw: borrowing RawSpan) throws(JSONError) {
    guard error.kind != .internal else { throw error }
    reading.rejected.append(error)
  }
}

private final class PlannedBatch: LaneBatch {
  private let consumer: PlannedConsumer
  private var records: [(text: String, key: String, values: [String])] = []

  init(_ consumer: PlannedConsumer) { self.consumer = consumer }

  var recordCount: Int { records.count }

  func deliver() -> Bool {
    consumer.reading.records += records.map(\.text)
    consumer.reading.keys += records.map(\.key)
    consumer.reading.values += records.map(\.values)
    records = []
    return true
  }

  func removeRecords(from index: Int) { records.removeSubrange(index...) }

  func map(_ tape: borrowing RecordTape, from first: Int) -> RecordFault? {
    for record in first..<tape.recordCount {
      let values = tape.elements(of: tape.entries(of: record)[0])
      let kinds = values.indices.map { index in
        let path = (tape.keys(to: values[index]) ?? []).map { $0 ?? "[]" }.joined(separator: ".")
        return "\(path) \(values[index].kind.rawValue) \(string(tape.bytes(of: values[index])))"
      }
      let key = consumer.plan?.framing == .keyed ? string(tape.memberKey(of: record)) : ""
      records.append((string(tape.rawBytes(of: record)), key, kinds))
    }
    return nil
  }
}

private func string(_ bytes: borrowing RawSpan) -> String {
  bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
}
