import CFeedScan
package import FeedFeature
@_spi(Ingest) package import FeedRecord
@_spi(Records) package import JSONStream

/// Turns the selected values of records into flat records, by a schema.
///
/// Runs once a record in the hot path: no text becomes a `String`, nothing is allocated.
package struct RecordMapper: ~Copyable {
  /// What the fast path knows of a field.
  private struct Plan {
    let field: NarrowRecord.Field
    let kind: PayloadSchema.Kind
    let isPlainText: Bool
    let isRequired: Bool
  }

  let fields: [PayloadSchema.Field]
  let groups: [Selection.Group]
  let takesCommonDates: Bool
  private let plans: [Plan]
  private let keyField: Int
  private let keyIsUUID: Bool
  /// The records mapped and not yet taken.
  package var encoder: RecordEncoder

  /// - Parameters:
  ///   - schema: the contract of the records.
  ///   - dates: what becomes of a date that is not of the contract's form.
  package init(_ schema: PayloadSchema, dates: CachePolicy.Dates = .strict) {
    takesCommonDates = dates == .lenient
    fields = schema.fields
    groups = Self.selection(for: schema).groups
    keyField = schema.fields.firstIndex(of: schema.keyField) ?? 0
    keyIsUUID = schema.keyField.kind == .uuid
    encoder = RecordEncoder(layout: schema.layout)
    plans = zip(schema.fields, encoder.narrowFields ?? []).map { field, narrow in
      Plan(
        field: narrow, kind: field.kind, isPlainText: field.kind == .text,
        isRequired: field.isRequired)
    }
  }

  /// What a lane must write down for this schema: each field's slot is its index.
  package static func selection(for schema: PayloadSchema) -> Selection {
    Selection(schema.fields.map { Selection.Path($0.path, isList: $0.kind == .textList) })
  }

  /// Maps the records of a tape from the given one on, up to the first that breaks the schema.
  package mutating func map(_ tape: borrowing RecordTape, from first: Int) -> RecordFault? {
    for record in first..<tape.recordCount {
      let entries = tape.entries(of: record)
      let bound = tape.rawByteCount(of: record)
      // No field's text is longer than the record that it was read from.
      let isMapped =
        bound <= RecordEncoder.maximumNarrowByteCount && !plans.isEmpty
        ? encodeNarrow(tape, entries, atMost: bound) : encodeMeasured(tape, entries)
      // Whatever is wrong with it may be a date of another form: then it is mapped once more.
      guard isMapped || takesCommonDates && encodeMeasured(tape, entries) else {
        return firstFault(tape, record)
      }
    }
    return nil
  }

  // The parents of selected values are objects or null, and the record is an object.
  @inline(__always)
  func hasSoundParents(_ entries: borrowing Span<TapeEntry>) -> Bool {
    for slot in fields.count..<entries.count - 1 {
      let kind = entries[slot].kind
      guard kind == .absent || kind == .group || kind == .null else { return false }
    }
    return entries[entries.count - 1].kind == .absent
  }

  @inline(__always)
  private mutating func encodeNarrow(
    _ tape: borrowing RecordTape, _ entries: borrowing Span<TapeEntry>, atMost bound: Int
  ) -> Bool {
    guard hasSoundParents(entries) else { return false }
    while true {
      var record = encoder.beginNarrow(atMost: bound)
      guard Self.fill(&record, plans, tape, entries) else { return false }
      // A UUID is hashed as it lies in the record, so that its text is read once.
      let hash =
        keyIsUUID ? record.hashOfUUID(plans[keyField].field) : keyHash(tape, entries)
      if encoder.endNarrow(record, keyHash: hash) { return true }
    }
  }

  @inline(__always)
  private static func fill(
    _ record: inout NarrowRecord, _ plans: borrowing [Plan], _ tape: borrowing RecordTape,
    _ entries: borrowing Span<TapeEntry>
  ) -> Bool {
    for index in plans.indices {
      let kind = entries[index].kind
      // Text and lists of text are most of every payload.
      if kind == .string, plans[index].isPlainText {
        record.setText(plans[index].field, padded: tape.bytes(of: entries[index]))
      } else if kind == .list {
        guard setList(&record, index, plans, tape, entries) else { return false }
      } else if !set(&record, index, plans, tape, entries) {
        return false
      }
    }
    return true
  }

  // Told which field it is, instead of being handed what is known of it: that is a dozen words.
  @inline(never)
  private static func setList(
    _ record: inout NarrowRecord, _ index: Int, _ plans: borrowing [Plan],
    _ tape: borrowing RecordTape, _ entries: borrowing Span<TapeEntry>
  ) -> Bool {
    let plan = plans[index]
    guard plan.kind == .textList else { return false }
    let elements = tape.elements(of: entries[index])
    var place = record.beginList(plan.field, count: elements.count)
    for index in elements.indices {
      let element = elements[index]
      guard element.kind == .string else { return false }
      record.appendElement(
        &place, padded: tape.bytes(of: element), isLast: index == elements.count - 1)
    }
    record.endList(plan.field)
    return true
  }

  // False if the value is not what the field holds. Never inlined: the loop around it would keep
  // too much in registers to keep the record there.
  @inline(never)
  private static func set(
    _ record: inout NarrowRecord, _ index: Int, _ plans: borrowing [Plan],
    _ tape: borrowing RecordTape, _ entries: borrowing Span<TapeEntry>
  ) -> Bool {
    let plan = plans[index]
    let entry = entries[index]
    switch (plan.kind, entry.kind) {
    case (_, .absent):
      guard !plan.isRequired else { return false }
      record.setAbsent(plan.field)
    case (_, .null):
      guard !plan.isRequired else { return false }
      record.setNull(plan.field)
    case (.url, .string):
      guard URLText.isAbsolute(tape.bytes(of: entry)) else { return false }
      record.setText(plan.field, padded: tape.bytes(of: entry))
    default:
      switch FixedValue(plan.kind, entry, tape) {
      case .word(let word): record.setWord(plan.field, word)
      case .boolean(let value): record.setBoolean(plan.field, value)
      case .uuid(let high, let low): record.setUUID(plan.field, high: high, low: low)
      case nil: return false
      }
    }
    return true
  }

  @inline(__always)
  func keyHash(_ tape: borrowing RecordTape, _ entries: borrowing Span<TapeEntry>) -> UInt64 {
    let text = tape.bytes(of: entries[keyField])
    guard keyIsUUID, let uuid = UUIDText.parse(text) else { return KeyHash.hash(text) }
    let bytes = UUIDText.bytes(high: uuid.high, low: uuid.low)
    return KeyHash.hash(bytes.span.bytes)
  }
}
