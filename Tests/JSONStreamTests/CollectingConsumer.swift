@_spi(Records) import JSONStream

/// Takes every record as it comes: selects `name` and `tags`, keeps what it saw as text.
final class CollectingConsumer: RecordConsumer {
  var recordKeys = ["items", "results"]
  var selection = Selection([.init(["name"]), .init(["tags"], isList: true), .init(["by", "id"])])
  /// Kinds of error that are passed over.
  var skipped: Set<JSONError.Kind> = []
  var shape: DocumentShape?
  var raw: [String] = []
  var names: [String?] = []
  var tags: [[String]] = []
  var rejected: [(error: JSONError, raw: String)] = []

  func select(_ shape: DocumentShape, sample: RawSpan?) -> SelectionChoice {
    self.shape = shape
    return .selected(selection)
  }

  func consume(_ tape: borrowing RecordTape, from record: Int) -> RecordFault? {
    for record in record..<tape.recordCount {
      var name: String?
      var tags: [String] = []
      for index in tape.entryRange(of: record) {
        let entry = tape.entry(index)
        if entry.kind == .array, entry.slot == Selection.recordSlot {
          return RecordFault(record: record, entry: index, reason: "not an object")
        }
        guard entry.kind == .string else { continue }
        if entry.slot == 0 { name = text(tape.bytes(of: entry)) }
        if entry.slot == 1 { tags.append(text(tape.bytes(of: entry))) }
      }
      if name == "refuse me" {
        let entry = tape.entryRange(of: record).first { tape.entry($0).slot == 0 }
        return RecordFault(record: record, entry: entry, reason: "refused")
      }
      names.append(name)
      self.tags.append(tags)
      raw.append(text(tape.rawBytes(of: record)))
    }
    return nil
  }

  func reject(_ error: JSONError, raw: borrowing RawSpan) throws(JSONError) {
    guard skipped.contains(error.kind) else { throw error }
    rejected.append((error, text(raw)))
  }

  private func text(_ bytes: borrowing RawSpan) -> String {
    bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
  }
}

/// Reads a document in pieces of the given sizes, used in turn.
func read(
  _ document: [UInt8], pieces: [Int] = [Int.max], into consumer: CollectingConsumer,
  limits: JSONLimits = JSONLimits(), framing: RecordReader.Framing = .records
) throws(JSONError) {
  let reader = RecordReader(consumer: consumer, file: "test", limits: limits, framing: framing)
  var start = 0
  var turn = 0
  while start < document.count {
    let end = start + min(pieces[turn % pieces.count], document.count - start)
    try reader.feed(document.span.bytes.extracting(start..<end))
    start = end
    turn += 1
  }
  try reader.finish()
}

/// The error that reading a document ends with, or nil.
func failure(
  of document: [UInt8], pieces: [Int] = [Int.max], limits: JSONLimits = JSONLimits(),
  framing: RecordReader.Framing = .records, skipping: Set<JSONError.Kind> = []
) -> JSONError? {
  let consumer = CollectingConsumer()
  consumer.skipped = skipping
  do {
    try read(document, pieces: pieces, into: consumer, limits: limits, framing: framing)
    return nil
  } catch {
    return error
  }
}

func failure(of document: String, pieces: [Int] = [Int.max]) -> JSONError? {
  failure(of: Array(document.utf8), pieces: pieces)
}

/// A generator whose numbers depend on its seed alone (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64
  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
