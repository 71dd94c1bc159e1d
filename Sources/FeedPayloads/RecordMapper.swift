@_spi(Ingest) package import FeedRecord
@_spi(Records) package import JSONStream

/// Turns the selected values of records into flat records, by a schema.
///
/// Runs once a record in the hot path: no text becomes a `String`, nothing is allocated.
package struct RecordMapper: ~Copyable {
  let fields: [PayloadSchema.Field]
  let kinds: [PayloadSchema.Kind]
  let required: [Bool]
  private let isText: [Bool]
  private let isPlain: [Bool]
  let groups: [Selection.Group]
  private let keyField: Int
  /// For each field the entry that holds its value, or -1.
  private(set) var values: [Int]
  /// For each list field its elements' number and their bytes.
  private var lists: [(count: Int, bytes: Int)]
  private var variableBytes = 0
  /// The records mapped and not yet taken.
  package var encoder: RecordEncoder

  package init(_ schema: PayloadSchema) {
    fields = schema.fields
    kinds = schema.fields.map(\.kind)
    required = schema.fields.map(\.isRequired)
    isText = schema.fields.map { $0.kind == .text || $0.kind == .url }
    isPlain = schema.fields.map { $0.kind == .text }
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
      guard gather(tape, record), encode(tape) else { return firstFault(tape, record) }
    }
    return nil
  }

  // Finds the entry of each field and the size of them all. Of repeated keys the last one counts.
  @inline(__always)
  private mutating func gather(_ tape: borrowing RecordTape, _ record: Int) -> Bool {
    for field in values.indices { values[field] = -1 }
    variableBytes = 0
    let range = tape.entryRange(of: record)
    var index = range.lowerBound
    while index < range.upperBound {
      let entry = tape.entry(index)
      let slot = Int(entry.slot)
      guard slot < kinds.count else {
        guard enter(slot, entry.kind, tape) else { return false }
        index += 1
        continue
      }
      if values[slot] >= 0 { forget(slot, tape) }
      values[slot] = index
      if entry.kind == .listStart {
        guard let end = measureList(tape, slot, from: index + 1) else { return false }
        index = end
      }
      variableBytes += size(slot, entry)
      index += 1
    }
    return true
  }

  // Bytes that a value takes behind the fixed-width fields.
  @inline(__always)
  func size(_ field: Int, _ entry: TapeEntry) -> Int {
    switch entry.kind {
    case .string: isText[field] ? Int(entry.length) : 0
    case .listStart:
      lists[field].bytes + RecordEncoder.listOverhead(count: lists[field].count)
    default: 0
    }
  }

  private mutating func forget(_ field: Int, _ tape: borrowing RecordTape) {
    guard values[field] >= 0 else { return }
    variableBytes -= size(field, tape.entry(values[field]))
    values[field] = -1
  }

  // A parent object begins anew: what an earlier one of its name held is forgotten.
  private mutating func enter(
    _ slot: Int, _ kind: TapeEntry.Kind, _ tape: borrowing RecordTape
  ) -> Bool {
    guard let group = groups.first(where: { $0.slot == slot }) else { return false }
    for field in group.members { forget(field, tape) }
    return kind == .group || kind == .null
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

  @inline(__always)
  private mutating func encode(_ tape: borrowing RecordTape) -> Bool {
    encoder.begin(variableByteCount: variableBytes)
    for field in kinds.indices {
      let value = values[field]
      guard value >= 0 else {
        if required[field] { return giveUp() }
        continue
      }
      // Text and lists of text are most of every payload: two plain branches before the switch.
      let entry = tape.entry(value)
      if entry.kind == .string, isPlain[field] {
        encoder.setText(field, tape.bytes(of: entry))
      } else if entry.kind == .listStart {
        setList(field, tape)
      } else if !set(field, entry, tape) {
        return giveUp()
      }
    }
    encoder.end(keyHash: keyHash(tape))
    return true
  }

  private mutating func giveUp() -> Bool {
    encoder.cancel()
    return false
  }

  // False if the value is not what the field holds.
  mutating func set(
    _ field: Int, _ entry: TapeEntry, _ tape: borrowing RecordTape
  ) -> Bool {
    switch (kinds[field], entry.kind) {
    case (_, .null):
      guard !required[field] else { return false }
      encoder.setNull(field)
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
}
