import CFeedScan
@_spi(Ingest) import FeedRecord
@_spi(Records) import JSONStream

// Describes why a record could not be mapped. Not on the hot path.
extension RecordMapper {
  /// The maximum number of bytes of a value in a message.
  private static var shownBytes: Int { 40 }

  // The first fault in the text. A missing field has no position and comes last.
  mutating func firstFault(_ tape: borrowing RecordTape, _ record: Int) -> RecordFault {
    let entries = tape.entries(of: record)
    var first: RecordFault?
    for slot in entries.indices where entries[slot].kind != .absent {
      guard let fault = fault(slot, entries[slot], tape, record) else { continue }
      if let before = first?.tokenByte, let here = fault.tokenByte, before <= here { continue }
      first = fault
    }
    if let first { return first }
    for field in fields.indices where fields[field].isRequired && entries[field].kind == .absent {
      let name = fields[field].name
      return RecordFault(
        record: record, reason: "the required field \(name) is missing",
        mismatch: JSONError.Mismatch(
          field: name, expected: fields[field].kind.name, found: "nothing"))
    }
    return RecordFault(record: record, reason: "the record does not fit its kind")
  }

  private mutating func fault(
    _ slot: Int, _ entry: TapeEntry, _ tape: borrowing RecordTape, _ record: Int
  ) -> RecordFault? {
    guard slot < fields.count else { return parentFault(slot, entry, record) }
    let field = fields[slot]
    if entry.kind == .repeated {
      return Self.fault(record, entry, field.name, "one value", "the key a second time")
    }
    if field.kind == .textList, entry.kind == .list {
      return elementFault(field, entry, tape, record)
    }
    guard !fits(slot, entry, tape) else { return nil }
    let found =
      entry.kind == field.kind.entryKind
      ? Self.shown(tape.bytes(of: entry), entry) : entry.kind.name
    return Self.fault(record, entry, field.name, field.kind.name, found)
  }

  private func parentFault(_ slot: Int, _ entry: TapeEntry, _ record: Int) -> RecordFault? {
    guard slot < fields.count + groups.count else {
      return RecordFault(
        record: record, tokenByte: entry.tokenByte, reason: "expected a record, an object")
    }
    if entry.kind == .group || entry.kind == .null { return nil }
    let name = groups[slot - fields.count].keys.joined(separator: ".")
    let expected = entry.kind == .repeated ? "one value" : "an object"
    return Self.fault(record, entry, name, expected, entry.kind.name)
  }

  private func elementFault(
    _ field: PayloadSchema.Field, _ list: TapeEntry, _ tape: borrowing RecordTape, _ record: Int
  ) -> RecordFault? {
    let elements = tape.elements(of: list)
    for index in elements.indices where elements[index].kind != .string {
      let element = elements[index]
      return Self.fault(record, element, field.name, field.kind.name, element.kind.name)
    }
    return nil
  }

  private static func fault(
    _ record: Int, _ entry: TapeEntry, _ field: String, _ expected: String, _ found: String
  ) -> RecordFault {
    RecordFault(
      record: record, tokenByte: entry.tokenByte,
      reason: "\(field): expected \(expected), found \(found)",
      mismatch: JSONError.Mismatch(field: field, expected: expected, found: found))
  }

  // Shows the value itself, if its type is right and its text is not.
  private static func shown(_ text: borrowing RawSpan, _ entry: TapeEntry) -> String {
    let count = min(text.byteCount, shownBytes)
    let start = text.extracting(0..<count).withUnsafeBytes {
      TerminalText.escaped(String(decoding: $0, as: UTF8.self))
    }
    let rest = text.byteCount > count ? "…" : ""
    return entry.kind == .string ? "\"\(start)\(rest)\"" : "\(start)\(rest)"
  }

  private mutating func fits(
    _ field: Int, _ entry: TapeEntry, _ tape: borrowing RecordTape
  ) -> Bool {
    encoder.begin(variableByteCount: size(field, entry, tape))
    defer { encoder.cancel() }
    return set(field, entry, tape)
  }
}
