@_spi(Ingest) package import FeedRecord
@_spi(Records) package import JSONStream

/// Turns the selected values of records into flat records, by a schema.
///
/// Runs once a record in the hot path: no text becomes a `String`, nothing is allocated.
package struct RecordMapper: ~Copyable {
  private let fields: [PayloadSchema.Field]
  private let kinds: [PayloadSchema.Kind]
  private let required: [Bool]
  private let groups: [Selection.Group]
  private let keyField: Int
  /// For each field the entry that holds its value, or -1.
  private var values: [Int]
  /// For each list field its elements' number and their bytes.
  private var lists: [(count: Int, bytes: Int)]
  /// The records mapped and not yet taken.
  package var encoder: RecordEncoder

  package init(_ schema: PayloadSchema) {
    fields = schema.fields
    kinds = schema.fields.map(\.kind)
    required = schema.fields.map(\.isRequired)
    groups = Self.selection(for: schema).groups
    keyField = schema.fields.firstIndex(of: schema.keyField) ?? 0
    values = Array(repeating: -1, count: fields.count)
    lists = Array(repeating: (0, 0), count: fields.count)
    encoder = RecordEncoder(layout: schema.layout)
  }

  /// What a lane must write down for this schema: each field's slot is its index.
  package static func selection(for schema: PayloadSchema) -> Selection {
    Selection(schema.fields.map { Selection.Path($0.path, isList: $0.kind == .textList) })
  }

  /// Maps the records of a tape from the given one on, up to the first that breaks the schema.
  package mutating func map(_ tape: borrowing RecordTape, from first: Int) -> RecordFault? {
    for record in first..<tape.recordCount {
      if let fault = gather(tape, record) ?? encode(tape, record) { return fault }
    }
    return nil
  }

  // Finds the entry of each field. Of repeated keys the last one counts.
  @inline(__always)
  private mutating func gather(_ tape: borrowing RecordTape, _ record: Int) -> RecordFault? {
    for field in values.indices { values[field] = -1 }
    let range = tape.entryRange(of: record)
    var index = range.lowerBound
    while index < range.upperBound {
      let entry = tape.entry(index)
      let slot = Int(entry.slot)
      if slot >= kinds.count {
        if let fault = enter(slot, entry.kind, record, index) { return fault }
      } else {
        values[slot] = index
        if entry.kind == .listStart {
          guard let end = measureList(tape, slot, from: index + 1) else {
            return RecordFault(
              record: record, entry: unfitElement(tape, from: index + 1),
              reason: "\(fields[slot].name): expected a list of strings")
          }
          index = end
        }
      }
      index += 1
    }
    return nil
  }

  // A parent object begins anew: what an earlier one of its name held is forgotten.
  private mutating func enter(
    _ slot: Int, _ kind: TapeEntry.Kind, _ record: Int, _ index: Int
  ) -> RecordFault? {
    guard let group = groups.first(where: { $0.slot == slot }) else {
      return RecordFault(record: record, entry: index, reason: "expected a record, an object")
    }
    for field in group.members { values[field] = -1 }
    guard kind == .group || kind == .null else {
      return RecordFault(
        record: record, entry: index,
        reason: "\(group.keys.joined(separator: ".")): expected an object, found \(kind.name)")
    }
    return nil
  }

  // The entry of the list's end; nil if an element is no string.
  @inline(__always)
  private mutating func measureList(
    _ tape: borrowing RecordTape, _ slot: Int, from first: Int
  ) -> Int? {
    var index = first
    var bytes = 0
    while true {
      let entry = tape.entry(index)
      if entry.kind == .listEnd { break }
      guard entry.kind == .string else { return nil }
      bytes += Int(entry.length)
      index += 1
    }
    lists[slot] = (index - first, bytes)
    return index
  }

  private func unfitElement(_ tape: borrowing RecordTape, from first: Int) -> Int {
    var index = first
    while tape.entry(index).kind == .string { index += 1 }
    return index
  }

  @inline(__always)
  private mutating func encode(_ tape: borrowing RecordTape, _ record: Int) -> RecordFault? {
    var variableBytes = 0
    for field in kinds.indices {
      let value = values[field]
      guard value >= 0 else {
        guard !required[field] else { return missing(field, record) }
        continue
      }
      let entry = tape.entry(value)
      switch entry.kind {
      case .null where required[field]: return unfit(field, entry, record)
      case .listStart:
        variableBytes += lists[field].bytes + RecordEncoder.listOverhead(count: lists[field].count)
      case .string where kinds[field] == .text || kinds[field] == .url:
        variableBytes += Int(entry.length)
      default: break
      }
    }
    encoder.begin(variableByteCount: variableBytes)
    for field in kinds.indices where values[field] >= 0 {
      let entry = tape.entry(values[field])
      guard set(field, entry, tape) else {
        encoder.cancel()
        return unfit(field, entry, record)
      }
    }
    encoder.end(keyHash: keyHash(tape))
    return nil
  }

  // False if the value is not what the field holds.
  @inline(__always)
  private mutating func set(
    _ field: Int, _ entry: TapeEntry, _ tape: borrowing RecordTape
  ) -> Bool {
    switch (kinds[field], entry.kind) {
    case (_, .null): encoder.setNull(field)
    case (.text, .string): encoder.setText(field, tape.bytes(of: entry))
    case (.textList, .listStart): setList(field, tape)
    case (.url, .string):
      guard URLText.isAbsolute(tape.bytes(of: entry)) else { return false }
      encoder.setText(field, tape.bytes(of: entry))
    case (.uuid, .string):
      guard let uuid = UUIDText.parse(tape.bytes(of: entry)) else { return false }
      encoder.setUUID(field, high: uuid.high, low: uuid.low)
    case (.date, .string):
      guard let seconds = DateText.parse(tape.bytes(of: entry)) else { return false }
      encoder.setDate(field, referenceSeconds: seconds)
    case (.integer, .number):
      guard let value = NumberText.integer(tape.bytes(of: entry)) else { return false }
      encoder.setInteger(field, value)
    case (.number, .number):
      guard let value = NumberText.number(tape.bytes(of: entry)) else { return false }
      encoder.setNumber(field, value)
    case (.boolean, .true): encoder.setBoolean(field, true)
    case (.boolean, .false): encoder.setBoolean(field, false)
    default: return false
    }
    return true
  }

  @inline(__always)
  private mutating func setList(_ field: Int, _ tape: borrowing RecordTape) {
    let first = values[field] + 1
    encoder.beginList(field, count: lists[field].count)
    for index in first..<first + lists[field].count {
      encoder.appendElement(tape.bytes(of: tape.entry(index)))
    }
  }

  @inline(__always)
  private func keyHash(_ tape: borrowing RecordTape) -> UInt64 {
    let text = tape.bytes(of: tape.entry(values[keyField]))
    guard kinds[keyField] == .uuid, let uuid = UUIDText.parse(text) else {
      return KeyHash.hash(text)
    }
    let bytes = UUIDText.bytes(high: uuid.high, low: uuid.low)
    return KeyHash.hash(bytes.span.bytes)
  }

  private func missing(_ field: Int, _ record: Int) -> RecordFault {
    RecordFault(record: record, reason: "the required field \(fields[field].name) is missing")
  }

  private func unfit(_ field: Int, _ entry: TapeEntry, _ record: Int) -> RecordFault {
    let wanted = fields[field].kind
    let found = entry.kind == wanted.entryKind ? "something else" : entry.kind.name
    return RecordFault(
      record: record, entry: values[field],
      reason: "\(fields[field].name): expected \(wanted.name), found \(found)")
  }
}
