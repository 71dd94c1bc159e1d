@_spi(Ingest) import FeedRecord
@_spi(Records) import JSONStream

// What is wrong with a record that could not be mapped. Off the hot path.
extension RecordMapper {
  // The fault that stands first in the text; a missing field stands nowhere and comes last.
  mutating func firstFault(_ tape: borrowing RecordTape, _ record: Int) -> RecordFault {
    for index in tape.entryRange(of: record) {
      if let reason = fault(tape.entry(index), at: index, tape) {
        return RecordFault(record: record, entry: index, reason: reason)
      }
    }
    for field in fields.indices where required[field] && values[field] < 0 {
      return RecordFault(
        record: record, reason: "the required field \(fields[field].name) is missing")
    }
    return RecordFault(record: record, reason: "the record does not fit its kind")
  }

  private mutating func fault(
    _ entry: TapeEntry, at index: Int, _ tape: borrowing RecordTape
  ) -> String? {
    let slot = Int(entry.slot)
    guard slot < fields.count else {
      guard let group = groups.first(where: { $0.slot == slot }) else {
        return "expected a record, an object"
      }
      if entry.kind == .group || entry.kind == .null { return nil }
      return "\(group.keys.joined(separator: ".")): expected an object, found \(entry.kind.name)"
    }
    let wanted = kinds[slot]
    if wanted == .textList {
      switch entry.kind {
      case .listStart, .listEnd, .string: return nil
      case .null where !required[slot]: return nil
      default: return "\(fields[slot].name): expected \(wanted.name), found \(entry.kind.name)"
      }
    }
    // Only the last value of a repeated key has to fit.
    guard values[slot] == index, !fits(slot, entry, tape) else { return nil }
    let found = entry.kind == wanted.entryKind ? "something else" : entry.kind.name
    return "\(fields[slot].name): expected \(wanted.name), found \(found)"
  }

  private mutating func fits(
    _ field: Int, _ entry: TapeEntry, _ tape: borrowing RecordTape
  ) -> Bool {
    encoder.begin(variableByteCount: size(field, entry))
    defer { encoder.cancel() }
    return set(field, entry, tape)
  }
}
