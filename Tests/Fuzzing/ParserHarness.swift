import CFeedScan
@_spi(Records) import JSONStream

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
  }

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
  }

  static func outcome(of document: [UInt8], _ settings: Settings) -> Outcome {
    let consumer = HarnessConsumer(skipsBadLines: settings.skipsBadLines)
    var options = JSONOptions()
    options.limits = JSONLimits(settings.limits)
    options.lanes = settings.lanes
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
    return outcome
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
}

/// Keeps what the reader hands over.
private final class HarnessConsumer: RecordConsumer {
  private static let selection = Selection([
    .init(["name"]), .init(["tags"], isList: true), .init(["by", "id"]),
  ])

  let recordKeys = DocumentJudge.recordKeys
  private let skipsBadLines: Bool
  private(set) var records: [ParserHarness.Delivery] = []
  private(set) var refused: [ParserHarness.Delivery] = []

  init(skipsBadLines: Bool) { self.skipsBadLines = skipsBadLines }

  func select(_ shape: DocumentShape, sample: RawSpan?, depth: Int) -> SelectionChoice {
    .selected(Self.selection)
  }

  // Scalars among records are passed over too.
  var skipsRecords: Bool { true }

  func makeBatch() -> any LaneBatch { HarnessBatch() }

  func take(_ batch: any LaneBatch) {
    guard let batch = batch as? HarnessBatch else { return }
    records += batch.records
    batch.records = []
  }

  func reject(_ error: JSONError, raw: borrowing RawSpan) throws(JSONError) {
    guard error.kind == .schema || skipsBadLines else { throw error }
    let fault = ParserHarness.Fault(error)
    refused.append(ParserHarness.Delivery(fault: fault, raw: Digest.value(of: raw)))
  }
}

/// Keeps what one batch maps.
private final class HarnessBatch: LaneBatch {
  fileprivate var records: [ParserHarness.Delivery] = []

  var recordCount: Int { records.count }

  func removeRecords(from index: Int) { records.removeSubrange(index...) }

  func map(_ tape: borrowing RecordTape, from first: Int) -> RecordFault? {
    for record in first..<tape.recordCount {
      let entries = tape.entries(of: record)
      let itself = entries[entries.count - 1]
      if itself.kind != .absent {
        return RecordFault(record: record, tokenByte: itself.tokenByte, reason: "not an object")
      }
      var values = Digest()
      add(entries[0], .name, tape, &values)
      add(entries[1], .tags, tape, &values)
      add(entries[2], .authorID, tape, &values)
      let raw = Digest.value(of: tape.rawBytes(of: record))
      records.append(ParserHarness.Delivery(raw: raw, values: values.value))
    }
    return nil
  }

  private func add(
    _ entry: TapeEntry, _ field: SelectedField, _ tape: borrowing RecordTape,
    _ values: inout Digest
  ) {
    if let kind = ScalarKind(entry.kind) {
      tape.bytes(of: entry).withUnsafeBytes { values.add(field, kind, $0) }
    }
    guard entry.kind == .list else { return }
    let elements = tape.elements(of: entry)
    for index in elements.indices { add(elements[index], field, tape, &values) }
  }
}

extension Digest {
  fileprivate static func value(of bytes: borrowing RawSpan) -> UInt64 {
    var digest = Digest()
    bytes.withUnsafeBytes { digest.add($0) }
    return digest.value
  }
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

extension ScalarKind {
  fileprivate init?(_ kind: TapeEntry.Kind) {
    switch kind {
    case .null: self = .null
    case .true: self = .true
    case .false: self = .false
    case .number: self = .number
    case .string: self = .string
    case .absent, .object, .array, .list, .group, .repeated, .end: return nil
    }
  }
}
