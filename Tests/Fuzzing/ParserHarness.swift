import CFeedScan

#if EXACT_SEGMENTS
  @testable @_spi(Records) import JSONStream
#else
  @_spi(Records) import JSONStream
#endif

/// Runs the parser over documents. The only file of the differential fuzzer that knows its API.
enum ParserHarness {
  /// The numbers of lanes to try, the first of them for the run that the others must equal.
  static let laneCounts = [1, 3]

  /// How a document is given to the parser.
  struct Settings {
    var hasRecords: Bool
    var limits = Limits.standard
    /// Bytes fed at a time, used in turn.
    var chunks = [Int.max]
    var lanes = laneCounts[0]
    /// True to go on behind bad lines.
    var skipsBadLines = false
    var validation = Validation.yajl
    /// The index of the instructions to use; the fastest of this machine come first.
    var kernel = 0
    var selection = HarnessSelection.plain
    var duplicateKeys = DuplicateKeys.last
    /// Bytes scanned at a time; nil for the default.
    var sliceBytes: Int?
    /// True to compare the whole rows of records, positions included.
    var hasRows = false
  }

  /// How records are validated, and what a repeated key means.
  enum Validation { case yajl, replay, both }
  enum DuplicateKeys { case error, first, last }

  /// How many records replay has validated, and YAJL.
  struct Counts: Sendable {
    var replayed = 0
    var learned = 0
    var judged = 0

    static func += (sum: inout Counts, other: Counts) {
      sum.replayed += other.replayed
      sum.learned += other.learned
      sum.judged += other.judged
    }
  }

  private static let kernels = [
    FEEDSCAN_AVX512, FEEDSCAN_AVX2, FEEDSCAN_NEON, FEEDSCAN_SCALAR,
  ].filter { $0 == FEEDSCAN_SCALAR || feedscan_has_kernel($0) }

  static var kernelCount: Int { kernels.count }

  /// What became of a document.
  struct Outcome: Hashable {
    var error: Fault?
    var shape: Judgement.Shape?
    /// The records that were handed over.
    var records: [Delivery] = []
    /// Those that were refused and passed over.
    var refused: [Delivery] = []
  }

  /// An error, but for the excerpt, which shows as much as has been read.
  struct Fault: Hashable {
    var kind: String
    var reason: String
    var byteOffset: Int
    var line: Int
    var column: Int
    var record: Int?
    var pointer: String

    init(_ error: JSONError) {
      kind = error.kind.rawValue
      reason = error.reason
      byteOffset = error.byteOffset
      line = error.line
      column = error.column
      record = error.record
      pointer = error.pointer
    }
  }

  /// A record that was handed over, or refused and passed over.
  struct Delivery: Hashable {
    var fault: Fault?
    /// Stands for its text.
    var raw: UInt64
    /// Stands for its selected values.
    var values: UInt64 = 0
    /// Stands for its whole row, if that is wanted.
    var row: UInt64 = 0
  }

  static func outcome(of document: [UInt8], _ settings: Settings) -> Outcome {
    read(document, settings).outcome
  }

  /// Reads a document; the counts depend on how it is read, the outcome does not.
  static func read(
    _ document: [UInt8], _ settings: Settings
  ) -> (outcome: Outcome, counts: Counts) {
    let consumer = HarnessConsumer(settings)
    var options = JSONOptions()
    options.limits = JSONLimits(settings.limits)
    options.lanes = settings.lanes
    options.validation = JSONOptions.Validation(settings.validation)
    options.kernel = kernels[settings.kernel]
    options.sliceBytes = settings.sliceBytes ?? options.sliceBytes
    options.duplicateKeys = JSONOptions.DuplicateKeys(settings.duplicateKeys)
    // Every run of records goes to another lane.
    options.laneBytes = 1
    let reader = RecordReader(
      consumer: consumer, file: "document", options: options,
      framing: settings.hasRecords ? .records : .none)
    var outcome = Outcome()
    do throws(JSONError) {
      try feed(document, settings.chunks, to: reader)
      try reader.finish()
    } catch {
      outcome.error = Fault(error)
    }
    outcome.shape = reader.documentShape.map(Judgement.Shape.init)
    outcome.records = consumer.records
    outcome.refused = consumer.refused
    let counts = reader.validationCounts
    return (
      outcome,
      Counts(replayed: counts.replayed, learned: counts.learned, judged: counts.judged)
    )
  }

  /// Reads a document of records into a consumer; what is wrong with it is nobody's concern.
  static func read(_ document: RawSpan, chunk: Int, into consumer: any RecordConsumer) {
    var options = JSONOptions()
    options.lanes = 1
    let reader = RecordReader(consumer: consumer, file: "document", options: options)
    do throws(JSONError) {
      var start = 0
      while start < document.byteCount {
        let end = start + min(chunk, document.byteCount - start)
        try reader.feed(document.extracting(start..<end))
        start = end
      }
      try reader.finish()
    } catch {
      return
    }
  }

  #if EXACT_SEGMENTS
    /// Gives the reader the document in a segment of exactly its size, with any bytes as padding: the
    /// address sanitizer sees what is read after that.
    private static func feed(
      _ document: [UInt8], _ chunks: [Int], to reader: RecordReader
    ) throws(JSONError) {
      guard !document.isEmpty else { return }
      let segment = InputSegment(capacity: document.count)
      segment.memory.update(from: document, count: document.count)
      let padding = Array("a\"1\\}".utf8)
      let filler = padding[document.count % padding.count]
      (segment.memory + document.count).update(repeating: filler, count: InputSegment.padding)
      segment.count = document.count
      reader.buffer.adopt(segment) { _ in }
      try reader.advance(isFinal: false)
    }
  #else
    private static func feed(
      _ document: [UInt8], _ chunks: [Int], to reader: RecordReader
    ) throws(JSONError) {
      var start = 0
      var turn = 0
      while start < document.count {
        let end = start + min(chunks[turn % chunks.count], document.count - start)
        try reader.feed(document.span.bytes.extracting(start..<end))
        start = end
        turn += 1
      }
    }
  #endif
}

extension JSONLimits {
  fileprivate init(_ limits: Limits) {
    self.init()
    depth = limits.depth
    recordBytes = limits.recordBytes
    stringBytes = limits.stringBytes
    keyBytes = limits.keyBytes
    numberBytes = limits.numberBytes
    siblingBytes = limits.siblingBytes
    listElements = limits.listElements
  }
}

extension Judgement.Shape {
  fileprivate init(_ shape: DocumentShape) {
    switch shape {
    case .array: self = .array
    case .wrapped: self = .wrapped
    case .lines: self = .lines
    case .single: self = .single
    }
  }
}

extension JSONOptions.Validation {
  fileprivate init(_ validation: ParserHarness.Validation) {
    switch validation {
    case .yajl: self = .yajl
    case .replay: self = .replay
    case .both: self = .both
    }
  }
}

extension JSONOptions.DuplicateKeys {
  fileprivate init(_ duplicateKeys: ParserHarness.DuplicateKeys) {
    switch duplicateKeys {
    case .error: self = .error
    case .first: self = .first
    case .last: self = .last
    }
  }
}
