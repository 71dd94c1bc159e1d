import CFeedScan
@_spi(Records) import JSONStream

/// Collects every record as text; selects `name`, `tags` and `by.id`.
final class CollectingConsumer: RecordConsumer {
  var recordKeys = ["items", "results"]
  var selection = Selection([.init(["name"]), .init(["tags"], isList: true), .init(["by", "id"])])
  /// The kinds of error whose records are skipped.
  var skipped: Set<JSONError.Kind> = []
  var shape: DocumentShape?
  var raw: [String] = []
  var names: [String?] = []
  var tags: [[String]] = []
  var rejected: [(error: JSONError, raw: String)] = []
  /// The batches that were made: as many as were in use at the same time.
  private(set) var batchCount = 0

  func select(_ shape: DocumentShape, sample: RawSpan?, depth: Int) -> SelectionChoice {
    self.shape = shape
    return .selected(selection) { [self] in
      batchCount += 1
      return CollectedBatch(self)
    }
  }

  var skipsRecords: Bool { !skipped.isEmpty }

  func reject(_ error: JSONError, raw: borrowing RawSpan) throws(JSONError) {
    guard skipped.contains(error.kind) else { throw error }
    rejected.append((error, text(raw)))
  }
}

/// The collected records of one batch.
private final class CollectedBatch: LaneBatch {
  private let consumer: CollectingConsumer
  private var raw: [String] = []
  private var names: [String?] = []
  private var tags: [[String]] = []

  init(_ consumer: CollectingConsumer) { self.consumer = consumer }

  var recordCount: Int { raw.count }

  func deliver() -> Bool {
    consumer.raw += raw
    consumer.names += names
    consumer.tags += tags
    removeRecords(from: 0)
    return true
  }

  func removeRecords(from index: Int) {
    raw.removeSubrange(index...)
    names.removeSubrange(index...)
    tags.removeSubrange(index...)
  }

  func map(_ tape: borrowing RecordTape, from first: Int) -> RecordFault? {
    for record in first..<tape.recordCount {
      let entries = tape.entries(of: record)
      let itself = entries[entries.count - 1]
      if itself.kind != .absent {
        return RecordFault(record: record, tokenByte: itself.tokenByte, reason: "not an object")
      }
      let name = entries[0].kind == .string ? text(tape.bytes(of: entries[0])) : nil
      if name == "refuse me" {
        return RecordFault(record: record, tokenByte: entries[0].tokenByte, reason: "refused")
      }
      if entries[0].kind == .repeated {
        return RecordFault(record: record, tokenByte: entries[0].tokenByte, reason: "repeated")
      }
      names.append(name)
      tags.append(list(entries[1], tape))
      raw.append(text(tape.rawBytes(of: record)))
    }
    return nil
  }

  private func list(_ entry: TapeEntry, _ tape: borrowing RecordTape) -> [String] {
    guard entry.kind == .list else { return [] }
    let elements = tape.elements(of: entry)
    return elements.indices.compactMap { index in
      elements[index].kind == .string ? text(tape.bytes(of: elements[index])) : nil
    }
  }
}

private func text(_ bytes: borrowing RawSpan) -> String {
  bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
}

/// Reads a document in chunks of the given sizes, used cyclically.
func read(
  _ document: [UInt8], chunks: [Int] = [Int.max], into consumer: CollectingConsumer,
  options: JSONOptions = JSONOptions(), framing: RecordReader.Framing = .records
) throws(JSONError) {
  let reader = RecordReader(consumer: consumer, file: "test", options: options, framing: framing)
  var start = 0
  var turn = 0
  while start < document.count {
    let end = start + min(chunks[turn % chunks.count], document.count - start)
    try reader.feed(document.span.bytes.extracting(start..<end))
    start = end
    turn += 1
  }
  try reader.finish()
}

/// The error that reading a document ends with, or nil.
func failure(
  of document: [UInt8], chunks: [Int] = [Int.max], limits: JSONLimits = JSONLimits(),
  framing: RecordReader.Framing = .records, skipping: Set<JSONError.Kind> = [], lanes: Int = 1
) -> JSONError? {
  let consumer = CollectingConsumer()
  consumer.skipped = skipping
  var options = JSONOptions()
  options.limits = limits
  options.lanes = lanes
  // Every run of records is a separate job, and most bytes are scanned in one pass.
  options.laneBytes = 1
  options.sliceBytes = chunks[0] % 2 == 1 ? 80 : 128 << 10
  do {
    try read(document, chunks: chunks, into: consumer, options: options, framing: framing)
    return nil
  } catch {
    return error
  }
}

func failure(of document: String, chunks: [Int] = [Int.max]) -> JSONError? {
  failure(of: Array(document.utf8), chunks: chunks)
}
