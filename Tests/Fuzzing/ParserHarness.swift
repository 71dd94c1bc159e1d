import CFeedScan

#if EXACT_SEGMENTS
  @testable @_spi(Records) import JSONStream
#else
  @_spi(Records) import JSONStream
#endif

/// Runs the parser over documents. In the differential fuzzer, only this type and its consumer use
/// the parser's API.
enum ParserHarness {
  /// The lane counts to try. All runs must equal the one with the first count.
  static let laneCounts = [1, 3]

  /// How a document is passed to the parser.
  struct Settings {
    var hasRecords: Bool
    var limits = Limits.standard
    /// Bytes fed at a time, used cyclically.
    var chunks = [Int.max]
    var lanes = laneCounts[0]
    /// True to continue after bad lines.
    var skipsBadLines = false
    var validation = Validation.yajl
    /// The index of the kernel to use; the fastest of this machine comes first.
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

  /// How many records replay and YAJL have validated.
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

  /// The result of reading a document.
  struct Outcome: Hashable {
    var error: Fault?
    var shape: Judgement.Shape?
    /// The records that were delivered.
    var records: [Delivery] = []
    /// The records that were rejected and skipped.
    var refused: [Delivery] = []
  }

  /// An error without its excerpt, which depends on how much has been read.
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

  /// A record that was delivered, or rejected and skipped.
  struct Delivery: Hashable {
    var fault: Fault?
    /// A digest of its text.
    var raw: UInt64
    /// A digest of its selected values.
    var values: UInt64 = 0
    /// A digest of its whole row, if requested.
    var row: UInt64 = 0
  }

  static func outcome(of document: [UInt8], _ settings: Settings) -> Outcome {
    read(document, settings).outcome
  }

  /// Reads a document. The counts depend on how it is read; the outcome does not.
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

  /// Reads a document of records into a consumer; ignores its errors.
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
    /// Passes the document to the reader in a segment of exactly its size, with some byte as
    /// padding: the address sanitizer reports every read after that.
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
    case .single, .planned: self = .single
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
